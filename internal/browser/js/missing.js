// Which of the named world scripts have not run in this document.
function (...names) {
  const loaded = globalThis.__quartetLoaded || {};
  return names.filter((name) => !loaded[name]);
}
