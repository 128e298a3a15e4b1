import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { settings } from '@doorledger/config';

interface Service {
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: object;
  readonly command?: readonly string[];
}

const at = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const compose = parse(at('docker-compose.yml'), { merge: true }) as { services: Record<string, Service>; volumes: object };
const services = Object.entries(compose.services);
const known = new Set(settings.map(({ env }) => env));

it('docker-compose.yml sets only variables that the configuration knows', () => {
  const used = services.flatMap(([, { environment = {} }]) => Object.keys(environment)).filter((name) => name.startsWith('DOORLEDGER_'));
  expect(used.length).toBeGreaterThan(0);
  for (const name of used) expect([name, known.has(name)]).toEqual([name, true]);
});

it('the image sets only variables that the configuration knows, and does not run as root', () => {
  const dockerfile = at('Dockerfile');
  for (const [name] of dockerfile.matchAll(/DOORLEDGER_[A-Z_]+/g)) expect([name, known.has(name)]).toEqual([name, true]);
  expect(dockerfile).toMatch(/^USER node$/m);
});

it('docker-compose.yml starts three brokers, a database, two hosts and a projector, and looks after their health', () => {
  expect(services.map(([name]) => name)).toEqual(
    expect.arrayContaining(['kafka-1', 'kafka-2', 'kafka-3', 'postgres', 'host-1', 'host-2', 'projector', 'door']),
  );
  for (const [name, { healthcheck, command }] of services)
    if (name !== 'door' && command?.[0] !== 'topics') expect([name, healthcheck !== undefined]).toEqual([name, true]);
  expect(at('docker-compose.yml')).not.toMatch(/sticky|ip_hash/);
});
