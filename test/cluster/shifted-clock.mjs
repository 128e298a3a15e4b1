// Loaded before a process's own code (node --import): its wall clock is off by as many ms as a file says, from the moment the file
// says so. What measures spans (performance.now, timers) goes on, as it does when the clock of a machine is set.
import { readFileSync, watch } from 'node:fs';

const file = process.env.CLOCK_SHIFT_FILE;
const WallClock = Date;
const realNow = WallClock.now;
let shift = 0;
function read() {
  const text = readFileSync(file, 'utf8');
  // It is empty for a moment while it is written.
  if (text !== '') shift = Number(text);
}
const now = () => realNow() + shift;

read();
watch(file, { persistent: false }, read);
WallClock.now = now;
globalThis.Date = new Proxy(WallClock, {
  construct: (target, args, asked) => Reflect.construct(target, args.length === 0 ? [now()] : args, asked),
  apply: (target) => new target(now()).toString(),
});
