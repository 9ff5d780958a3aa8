// The page's own log: what reached it, told to the server at once. It knows
// nothing of Quartet.
(() => {
  const tell = line => { const r = new XMLHttpRequest(); r.open("POST", "/log" + location.pathname, false); r.send(line); };
  const id = e => { for (const n of e.composedPath()) if (n.dataset && n.dataset.id) return n.dataset.id; return ""; };
  const kind = { click: "click", dblclick: "double", contextmenu: "context" };
  for (const type in kind) addEventListener(type, e => {
    const t = e.composedPath()[0];
    const fills = t.matches && t.matches("select,option,textarea,input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit])");
    if (e.isTrusted && id(e) && !fills) tell(kind[type] + " " + id(e) + (e.ctrlKey ? " +ctrl" : "") + (e.shiftKey ? " +shift" : ""));
  }, true);
  addEventListener("input", e => {
    const t = e.target;
    if (!id(e) || t.type === "checkbox" || t.type === "radio") return;
    tell("input " + id(e) + "=" + (t.selectedOptions ? [...t.selectedOptions].map(o => o.text).join("|") : t.value !== undefined ? t.value : t.textContent));
  }, true);
  addEventListener("change", e => {
    const t = e.target;
    if (id(e) && (t.type === "checkbox" || t.type === "radio")) tell("set " + id(e) + "=" + t.checked);
  }, true);
  addEventListener("keydown", e => { if (e.key === "Enter" && id(e)) tell("enter " + id(e)); }, true);
  globalThis.tell = tell;
})();
