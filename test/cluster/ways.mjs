import { openLink } from './link.mjs';

/** The ways of one host to each broker and to the database, which can be cut. */
export async function openWays(brokers) {
  const kafka = await Promise.all(Array.from({ length: brokers }, () => openLink()));
  const database = await openLink();
  const all = [...kafka, database];
  return {
    kafka,
    database,
    ports: kafka.map(({ port }) => port),
    lead(brokerPorts, databasePort) {
      for (const [i, link] of kafka.entries()) link.lead(brokerPorts[i]);
      database.lead(databasePort);
    },
    heal: () => all.forEach((link) => link.heal()),
    close: () => Promise.all(all.map((link) => link.close())),
  };
}
