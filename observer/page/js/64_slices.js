// Slices: a walk of a large page lets the page do its own work in between. What
// takes long is a generator that yields when its slice is over; what changes
// meanwhile is in the records, and the next pass takes it in.
const SLICE = 25; // milliseconds
let sliceEnd = Infinity, steps = 0, yields = 0;

// tired says, asked in a loop, that the slice is over, nodded in one of shorter
// steps; late says it between two parts of which neither can be cut.
const tired = () => (++steps & 7) === 0 && late();
const nodded = () => (++steps & 63) === 0 && late();
const late = () => performance.now() > sliceEnd && ++yields > 0;

// rest gives the page's other work a turn. Unlike a timer it is not held back
// in a page in the background.
let channel = null;
const resting = [];
function rest() {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => resting.shift()();
  }
  return new Promise((resolve) => { resting.push(resolve); channel.port2.postMessage(0); });
}

// One job is under way at a time. Whoever can't wait finishes it first.
let job = null, turn = Promise.resolve();
function step(j, end) {
  sliceEnd = end;
  try {
    const r = j.gen.next();
    if (r.done) { j.done = true; j.value = r.value; }
  } catch (e) { j.done = true; j.error = e; }
  sliceEnd = Infinity;
}
function finishJob() { while (job && !job.done) step(job, Infinity); }
// atOnce runs a generator to its end without a pause.
function atOnce(gen) {
  finishJob();
  for (;;) { const r = gen.next(); if (r.done) return r.value; }
}
// drain is for a small part of the job that is under way.
function drain(gen) {
  const end = sliceEnd;
  sliceEnd = Infinity;
  while (!gen.next().done);
  sliceEnd = end;
}
// inSlices runs a generator in its turn, slice milliseconds at once. wanted, if
// there is one, says when the turn has come whether anybody waits any more.
function inSlices(gen, slice, wanted) {
  const mine = turn.then(async () => {
    if (wanted && !wanted()) return null;
    const j = job = { gen, done: false };
    for (;;) {
      if (!j.done) step(j, performance.now() + slice);
      if (j.done) break;
      await rest();
    }
    job = null;
    if (j.error) throw j.error;
    return j.value;
  });
  turn = mine.catch(() => {});
  return mine;
}

// A reader asks again and again for what takes long: so it knows that the page
// is at it, and the page that there is a reader.
const ASK_AGAIN = 250, FORGOTTEN = 3000; // milliseconds
const pending = new Map();
let lastPending = 0;
const waited = (p, ms) => Promise.race([p.then((text) => ({ text })), new Promise((r) => setTimeout(() => r(null), ms))]);
async function started(gen, slice) {
  const key = ++lastPending, p = { at: performance.now(), text: null };
  pending.set(key, p);
  p.text = inSlices(gen, slice, () => performance.now() - p.at < FORGOTTEN);
  return outcome(key, p);
}
async function outcome(key, p) {
  p.at = performance.now();
  let r;
  try { r = await waited(p.text, ASK_AGAIN); } catch (e) { pending.delete(key); throw e; }
  for (const [k, o] of pending) if (performance.now() - o.at > FORGOTTEN) pending.delete(k);
  if (!r) return JSON.stringify({ working: key, elements: elementCount() });
  pending.delete(key);
  return r.text === null || r.text.length <= PIECE ? r.text || '{}' : first(r.text);
}
