// One random change after another, the same for the same seed.
async (seed, n) => {
  let s = seed >>> 0 || 1;
  const rnd = (k) => { s ^= s << 13; s >>>= 0; s ^= s >>> 17; s ^= s << 5; s >>>= 0; return s % k; };
  const all = (sel) => [...document.querySelectorAll(sel)];
  const any = (sel) => { const l = all(sel); return l[rnd(l.length || 1)]; };
  const root = document.getElementById('host')?.shadowRoot ?? document.createDocumentFragment();
  const word = () => ['alpha', 'beta', 'gamma', 'delta (4)', 'x', ''][rnd(6)] + rnd(9);
  const rows = () => document.querySelector('#tb tbody');
  const row = () => { const r = document.createElement('tr'); r.className = 'row'; r.innerHTML = '<td><input type=checkbox aria-label="Pick ' + word() + '"> Ticket ' + word() + '<td>new<td><span class=acts><button>Edit</button></span>'; return r; };
  const $ = (id) => document.getElementById(id) || document.createElement('i');
  const ops = [
    () => { const t = any('td,li,h1,h3,p,b,em,footer,#live'); if (t) t.textContent = word(); },
    () => { const t = document.createTreeWalker(any('main,#cards,#list') || document.body, NodeFilter.SHOW_TEXT); let k = rnd(20), m; while ((m = t.nextNode()) && k--); if (m) m.data = word(); },
    () => { const e = any('button,li,td,tr,.card,span,p,h1,label,input,ul,#acc,#clicks,nav'); if (e) e.classList.toggle(['hidden', 'ghost', 'quiet', 'lit', 'off', 'after', 'sel', 'open', 'dead', 'fade', 'over'][rnd(11)]); },
    () => document.querySelector('main').classList.toggle('over'),
    () => rows().prepend(row()), () => rows().append(row()), () => rows().children[rnd(20)]?.remove(),
    () => { const a = rows().children[rnd(12)], b = rows().children[rnd(12)]; if (a && b && a !== b) a.before(b); },
    () => rows().replaceChildren(...[...rows().children].map((r) => r.cloneNode(true))),
    () => rows().replaceChildren(...[...rows().children].reverse()),
    () => { const i = any('input[type=checkbox],input[type=radio]'); if (i) i.checked = !i.checked; },
    () => { $('cb').indeterminate = !$('cb').indeterminate; }, () => { $('who').value = word(); }, () => { $('mail').value = word(); }, () => { $('ta').value = word(); }, () => { $('rg').value = rnd(11); },
    () => { $('pick').selectedIndex = rnd(3); }, () => { $('fs').disabled = !$('fs').disabled; }, () => { $('save').disabled = !$('save').disabled; },
    () => { $('save').setAttribute('aria-label', word()); }, () => { const e = any('button,a'); if (e) e.title = word(); }, () => { const e = any('button'); if (e) e.setAttribute('aria-pressed', rnd(2) ? 'true' : 'false'); },
    () => { $('det').open = !$('det').open; }, () => { $('acc').dataset.state = rnd(2) ? 'open' : 'closed'; }, () => { $('hint').textContent = word(); }, () => { $('hint').id = rnd(2) ? 'hint' : 'hintx'; },
    () => { const l = any('label'); if (l) l.append(word()); }, () => { const e = any('button,input,a'); if (e) e.focus(); }, () => document.activeElement && document.activeElement.blur && document.activeElement.blur(),
    () => { const d = $('dlg'); if (d.open) d.close(); else if (rnd(2)) d.showModal(); else d.show(); }, () => { try { $('pop').togglePopover(); } catch { /* gone */ } },
    () => scrollTo(0, rnd(800)), () => { $('sc').scrollTop = rnd(300); }, () => { const e = any('div,p,ul'); if (e) e.style.marginTop = rnd(40) + 'px'; }, () => { const e = any('div,p,button'); if (e) e.style.cssText = ['position:absolute;left:9px;top:' + rnd(500) + 'px', 'transform:translate(' + rnd(90) + 'px,0)', 'display:inline', 'float:right', 'opacity:0', '', 'position:fixed;left:-999px', 'overflow:hidden;height:9px'][rnd(8)]; },
    () => { const e = any('main,ul,.card,tr,div'); if (e) e.toggleAttribute(['inert', 'hidden'][rnd(2)]); }, () => { const e = any('ul,.card,td,nav,#acc'); if (e) { if (rnd(2)) e.setAttribute('aria-hidden', 'true'); else e.removeAttribute('aria-hidden'); } },
    () => { const e = any('div,li,span,ul'); if (e) e.setAttribute('role', ['list', 'listitem', 'button', 'group', 'none', 'tablist'][rnd(6)]); }, () => { const e = any('h1,h3,p,span,li'); if (e) e.tabIndex = rnd(2) - 1; },
    () => { const c = $('cards'); c.innerHTML += '<div class=card><b>Card ' + word() + '</b> <a href=n>Open</a></div>'; }, () => { const c = any('.card'); if (c) c.remove(); }, () => { const c = any('.card'), m = any('main,#sc,#acc'); if (c && m && !c.contains(m)) m.append(c); },
    () => { root.querySelector('.in').classList.toggle('off'); }, () => { root.querySelector('button').textContent = word(); }, () => { root.querySelector('.in').insertAdjacentHTML('beforeend', '<a href=q>' + word() + '</a>'); }, () => { const sp = document.querySelector('#host span'); if (sp) sp.slot = rnd(2) ? 's' : 'none'; },
    () => { const st = document.createElement('style'); st.textContent = ['.card{display:none}', 'li{visibility:hidden}', 'button:focus{opacity:0}', 'td::after{content:"!"}', '.card a{pointer-events:none}'][rnd(5)]; st.className = 'extra'; document.head.append(st); }, () => any('style.extra')?.remove(),
    () => { const sh = document.styleSheets[0]; if (rnd(2)) sh.insertRule('#list{display:' + ['none', 'block'][rnd(2)] + '}', sh.cssRules.length); else if (sh.cssRules.length > 25) sh.deleteRule(sh.cssRules.length - 1); },
    () => { $('ed').innerHTML = 'write <b>' + word() + '</b> ' + word(); }, () => { const o = document.createElement('div'); o.className = 'overlay'; o.innerHTML = '<button>Close</button>'; document.body.append(o); }, () => any('.overlay')?.remove(),
    () => { const e = any('b,i,em,span'); if (e && e.parentNode) e.replaceWith(...e.childNodes); }, () => { const p = any('p,li,td'); if (p) p.insertAdjacentHTML(['afterbegin', 'beforeend'][rnd(2)], ' <a href=w>' + word() + '</a> '); },
    () => { const l = $('list'); if (rnd(2)) l.setAttribute('aria-labelledby', 'h'); else l.removeAttribute('aria-labelledby'); }, () => { document.title = word(); }, () => { const e = any('.card,p'); const a = e && e.animate([{ opacity: 0 }, { opacity: 0 }], { duration: 1000 }); if (a) a.pause(); }, () => document.getAnimations().forEach((a) => a.cancel()),
    // Away for a while, and changed there.
    async () => { const e = any('.card,tr,li,fieldset,#acc'); if (!e || !e.parentNode) return; const p = e.parentNode, next = e.nextSibling; e.remove(); await new Promise((r) => setTimeout(r, 0)); const t = e.querySelector('td,b,label,button,.body') || e; t.classList.toggle('off'); t.append(word()); if (p.isConnected) p.insertBefore(e, next && next.parentNode === p ? next : null); },
    () => { const e = any('li,p,.card,td b,#host'), to = any('.menu ul,.off,fieldset,.scroller,#pop,.card,main'); if (e && to && !e.contains(to)) to.prepend(e); },
    () => { const e = any('#cards,#list,#live,.pane'); if (e) e.replaceChildren(...(rnd(2) ? [] : [word()])); },
  ];
  const names = [];
  for (let i = 0; i < n; i++) { const k = rnd(ops.length); names.push(k); try { await ops[k](); } catch (e) { names.push(String(e)); } }
  await new Promise((r) => setTimeout(r, 0));
  for (const a of document.getAnimations()) if (a.playState === 'running') a.finish();
  return names.join(' ');
}
