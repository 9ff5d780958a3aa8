// Text hygiene: whatever leaves this script is well-formed Unicode, one line,
// without controls, zero-width, bidi-override and icon-font characters.
const PLAIN = /^(?:[!-~]| (?! ))*$/;
const INVISIBLE = /[\u00ad\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\ufff0-\ufff8]|[\u{e0000}-\u{e0fff}]/gu;
const PRIVATE = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
const SPACES = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

// squash keeps at most one space at either end.
function squash(s) {
  if (!s) return '';
  if (PLAIN.test(s)) return s;
  s = s.replace(SPACES, ' ');
  return PLAIN.test(s) ? s : s.toWellFormed().replace(INVISIBLE, '').replace(PRIVATE, '').replace(SPACES, ' ');
}
const line = (s) => squash(s).trim();

// clip shortens without splitting a surrogate pair, and says by how much.
function clip(s, max) {
  if (s.length <= max) return s;
  return s.slice(0, max).toWellFormed().replace(/\ufffd$/, '').trimEnd() + '… +' + (s.length - max) + ' characters';
}

const NAME_MAX = 2000;
const TEXT_MAX = 20000;
const VALUE_MAX = 5000;

// Two lanes of a multiplicative hash: a short id for long, nested signatures.
function hash(s) {
  let a = 0x9e3779b1, b = 0x41c6ce57;
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  return ((a >>> 0) * 2097152 + ((b >>> 0) & 2097151)).toString(36);
}

// A count in brackets does not make another thing: "Inbox (3)", "Inbox (4)".
const sameness = (s) => s.replace(/\s*[([]\s*[\d.,]+\+?\s*[)\]]/g, '').toLowerCase();
