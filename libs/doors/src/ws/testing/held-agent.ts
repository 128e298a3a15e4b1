import { EventEmitter, once } from 'node:events';
import type { TestAgent } from './door-in-process.js';

/** Its turns run until they are let go or aborted; `ran` tells each, and how it ended. */
export function heldAgent() {
  const letGo = new EventEmitter();
  const ran: string[] = [];
  const began = new EventEmitter();
  const agent: TestAgent = async (input, piece, signal) => {
    piece(input);
    began.emit('turn');
    try {
      await once(letGo, 'all', { signal });
      ran.push(`${input}: done`);
      return input;
    } catch (error) {
      ran.push(`${input}: aborted`);
      began.emit('end');
      throw error;
    }
  };
  return { agent, ran, began, letGo: () => letGo.emit('all') };
}
