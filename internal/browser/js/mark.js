// Calls a function with each node of this document and its events; the browser
// also lists those of frames in the same process. Returns how many.
function (...nodes) {
  const events = nodes.pop();
  const mark = (MARK);
  let n = 0;
  nodes.forEach((node, i) => {
    if (node !== document && node.ownerDocument !== document) return;
    mark(node, events[i]);
    n++;
  });
  return n;
}
