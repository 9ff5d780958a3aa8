// Puts elements into document order of the flattened tree, also across open
// and closed shadow roots. Returns their indices in that order.
function (...els) {
  const path = (node) => {
    const out = [];
    for (let n = node; n; ) {
      const parent = n.parentNode;
      if (parent) {
        let i = 1;
        for (let s = n.previousSibling; s; s = s.previousSibling) i++;
        out.unshift(i);
        n = parent;
      } else if (n.host) {
        out.unshift(0); // a shadow tree comes before its host's children
        n = n.host;
      } else {
        n = null;
      }
    }
    return out;
  };
  const paths = els.map(path);
  return els.map((_, i) => i).sort((a, b) => {
    const p = paths[a], q = paths[b];
    for (let i = 0; i < p.length && i < q.length; i++) if (p[i] !== q[i]) return p[i] - q[i];
    return p.length - q.length;
  });
}
