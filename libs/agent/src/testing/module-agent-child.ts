import { moduleAgent } from '../module-agent.js';
import { stepOf, type StepAsk } from './steps.js';

/** Loads each agent module named in its argument, has it take one step, and writes how they went as one JSON document. */
const asked = JSON.parse(process.argv[2]!) as readonly (StepAsk & { readonly path: string })[];
const told = [];
for (const { path, ...ask } of asked) {
  const stepped = await moduleAgent(path).then(
    (agent) => stepOf(agent, ask),
    (refused: unknown) => ({ refused }),
  );
  const error = { ...stepped } as { error?: Error; refused?: Error };
  told.push({ ...stepped, error: error.error?.message, refused: error.refused?.message });
}
console.log(JSON.stringify(told));
