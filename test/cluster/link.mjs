import { connect, createServer } from 'node:net';

/**
 * A port of its own that leads to another one, until the way is cut. `hang`: no byte passes in either direction and nothing is lost, as
 * on a network that drops packets; what was on its way arrives at the heal. `reset`: connections end and new ones are refused.
 */
export async function openLink() {
  const pairs = new Set();
  let target;
  let cut;

  function carry({ near, far }) {
    near.pipe(far);
    far.pipe(near);
  }
  function hold({ near, far }) {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.unpipe(to);
      from.pause();
    }
  }
  function end({ near, far }) {
    near.destroy();
    far.destroy();
  }

  const server = createServer((near) => {
    if (cut === 'reset') return near.resetAndDestroy();
    const pair = { near, far: connect(target, '127.0.0.1') };
    pairs.add(pair);
    for (const socket of [near, pair.far]) {
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.once('close', () => {
        pairs.delete(pair);
        end(pair);
      });
    }
    if (cut === 'hang') hold(pair);
    else carry(pair);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    lead(port) {
      target = port;
    },
    /** @param {'hang' | 'reset'} how */
    cut(how) {
      cut = how;
      for (const pair of pairs) (how === 'reset' ? end : hold)(pair);
    },
    heal() {
      cut = undefined;
      for (const pair of pairs) carry(pair);
    },
    async close() {
      for (const pair of pairs) end(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
