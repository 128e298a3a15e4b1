import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 1000;
const PER_BURST = 1000;
const TURN_CLIENTS = 16;

/** Status of one turn's answer; 0 for none. A client of its own: at these rates what a general one costs is taken from the server. */
function ask(url: string, agent: Agent, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(`${url}/invoke`, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } });
    asked.once('error', () => resolve(0));
    asked.once('response', (response) => {
      response.once('error', () => resolve(0)).once('end', () => resolve(response.statusCode!));
      response.resume();
    });
    asked.end('{"input":"hello"}');
  });
}

/** Answers by status. */
export type Answers = Map<number, number>;

const add = (answers: Answers, status: number): void => void answers.set(status, (answers.get(status) ?? 0) + 1);

/** A thousand callers without a token who all ask at once, once a second. Resolves when all have their answer. */
export async function floodFor(url: string, seconds: number, answers: Answers): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: PER_BURST });
  const bursts: Promise<unknown>[] = [];
  for (let second = 0; second < seconds; second++) {
    const next = sleep(EVERY_MS);
    bursts.push(Promise.all(Array.from({ length: PER_BURST }, async () => add(answers, await ask(url, agent, {})))));
    await next;
  }
  await Promise.all(bursts);
  agent.destroy();
}

/** Callers with a token who ask for one turn after the other until `until` is settled; resolves with turns per second. */
export async function turnsWhile(url: string, token: string, until: Promise<unknown>, answers: Answers): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  let isOver = false;
  let turns = 0;
  const client = async () => {
    while (!isOver) {
      add(answers, await ask(url, agent, { authorization: `Bearer ${token}` }));
      turns++;
    }
  };
  const clients = Promise.all(Array.from({ length: TURN_CLIENTS }, client));
  await until;
  const rate = (turns * 1000) / (performance.now() - startedAt);
  isOver = true;
  await clients;
  agent.destroy();
  return rate;
}
