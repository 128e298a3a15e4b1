import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openLink } from './link.mjs';

it('a way that hangs passes nothing and loses nothing, and one that is reset ends what is open and lets nobody in', async () => {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const link = await openLink();
  link.lead((echo.address() as AddressInfo).port);
  const client = connect(link.port, '127.0.0.1').setEncoding('utf8');
  const heard: string[] = [];
  client.on('data', (text: string) => heard.push(text));
  client.on('error', () => {});
  client.write('one');
  await once(client, 'data');
  link.cut('hang');
  client.write('two');
  const other = connect(link.port, '127.0.0.1').setEncoding('utf8');
  other.write('three');
  await once(other, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toEqual(['one']);
  link.heal();
  await Promise.all([once(client, 'data'), once(other, 'data')]);
  expect(heard).toEqual(['one', 'two']);
  link.cut('reset');
  await once(client, 'close');
  const late = connect(link.port, '127.0.0.1');
  await once(late, 'error');
  other.destroy();
  await link.close();
  echo.close();
});

it('a clock that is set moves what tells the time and leaves what measures spans', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-clock-'));
  const file = join(dir, 'shift');
  writeFileSync(file, '0');
  const preload = new URL(`file://${join(__dirname, 'shifted-clock.mjs')}`).href;
  const script = `setInterval(() => console.log(Date.now(), new Date().getTime(), performance.timeOrigin + performance.now(), +new Date(5)), 20)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_FILE: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
  const next = async () => (await lines.next()).value!.split(' ').map(Number) as [number, number, number, number];
  const [now] = await next();
  writeFileSync(file, '-3600000');
  for (let shifted = await next(); ; shifted = await next()) {
    const [told, made, measured, given] = shifted;
    expect(Math.abs(told - made)).toBeLessThan(1000);
    expect(measured).toBeGreaterThanOrEqual(now - 1000);
    expect(given).toBe(5);
    if (told < now - 3_500_000) break;
  }
  child.kill();
  rmSync(dir, { recursive: true, force: true });
});
