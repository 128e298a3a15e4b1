import { foldSession } from '../fold.js';
import { faults } from './faults.js';
import { scenes } from './scenes.js';
import { search, type Found } from './search.js';

/**
 * Searches every scene with the real fold, then shows that each planted fault is found.
 * Usage: main.js [states per scene, default 300000] [part of a scene's name]
 */
const maxStates = Number(process.argv[2] ?? 300_000);
const names = Object.keys(scenes).filter((name) => name.includes(process.argv[3] ?? ''));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const progress = (line: string): void => void process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : '');

function tell({ bad }: Found): void {
  for (const { what, history } of bad) say(`  ${what}\n${history.map((h, i) => `    ${i + 1}. ${h}`).join('\n')}`);
}

let isRight = true;
const start = performance.now();
names.forEach((name, i) => {
  const spent = (performance.now() - start) / 1_000;
  const left = i ? ` about ${Math.ceil((spent / i) * (names.length - i))} s left` : '';
  progress(`${i}/${names.length} ${name}${left}`);
  const found = search({ scene: scenes[name]!, fold: foldSession }, { maxStates });
  progress('');
  say(
    `${found.bad.length ? 'BAD  ' : 'ok   '} ${String(found.states).padStart(8)} states${found.isExhausted ? ', whole' : ' '.repeat(7)}  ${name}`,
  );
  tell(found);
  if (found.bad.length) isRight = false;
});

for (const [fault, { fold, scene, hasClockPerReader }] of Object.entries(faults)) {
  const found = search(
    { scene: scenes[scene]!, fold, ...(hasClockPerReader && { hasClockPerReader }) },
    { maxStates, isFirstEnough: true },
  );
  say(`${found.bad.length ? 'found' : 'MISSED'} planted: ${fault}`);
  tell(found);
  if (!found.bad.length) isRight = false;
}
process.exitCode = isRight ? 0 : 1;
