'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  let file = '', text = '';

  // Enough of CSV for a preview; the server reads the file itself.
  function cells(line) {
    return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, '').replaceAll('""', '"')).slice(0, 6);
  }
  function row(values, tag) {
    const tr = document.createElement('tr');
    for (const v of values) {
      const c = document.createElement(tag);
      c.textContent = v;
      tr.append(c);
    }
    return tr;
  }

  $('file').addEventListener('change', async (e) => {
    const f = e.target.files[0];
    $('import').disabled = !f;
    $('preview').hidden = !f;
    $('done').hidden = $('problem').hidden = true;
    if (!f) return;
    file = f.name;
    text = await f.text();
    const lines = text.trim().split(/\r?\n/);
    const width = cells(lines[0]).filter((c) => c !== '').length;
    const table = $('preview').querySelector('table');
    table.tHead.replaceChildren(row(cells(lines[0]).slice(0, width), 'th'));
    table.tBodies[0].replaceChildren(...lines.slice(1, 11).map((l) => row(cells(l).slice(0, width), 'td')));
    $('previewhead').textContent = `Preview of ${lines.length - 1} rows`;
  });
  $('import').addEventListener('click', async () => {
    $('import').disabled = true;
    try {
      const done = await larkspur.post('/api/import', { file, text });
      $('done').textContent = `${done.message}.`;
      $('done').hidden = false;
      $('preview').hidden = true;
      $('file').value = '';
      larkspur.toast('Import finished');
    } catch (err) {
      $('problem').textContent = err.message;
      $('problem').hidden = false;
    }
  });
})();
