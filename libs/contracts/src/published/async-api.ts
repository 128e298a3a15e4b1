import { factByType } from '../facts/index.js';
import { topics, type TopicDefinition } from '../topics.js';
import { jsonSchemaOf } from '../validate.js';

const SCHEMA_FORMAT = 'application/schema+json;version=draft-07';
const WRITTEN = { public: 'Classes and references only; no text a person wrote.', private: 'Encrypted content.' } as const;

/** Ids in AsyncAPI must be plain words: `turn.claimed` is `turn-claimed` there. */
const idOf = (name: string): string => name.replaceAll('.', '-');
const typesOf = (topic: TopicDefinition): string[] =>
  [...factByType.values()].filter((fact) => fact.topic === topic).map(({ type }) => type);

/** The AsyncAPI 3 document of the log: a channel for each topic that carries facts, a message for each fact. */
export function asyncApiDocument(): object {
  const published = Object.values(topics).filter((topic) => typesOf(topic).length > 0);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'doorledger facts',
      version: '1.0.0',
      description:
        'The facts on the log. Values are CloudEvents 1.0 in structured mode; the same attributes ride as ce_* headers. Readers deduplicate by id and ignore types and fields they do not know.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(published.map((topic) => [idOf(topic.name), channelOf(topic)])),
    operations: Object.fromEntries(
      published.map((topic) => [
        `append-${idOf(topic.name)}`,
        { action: 'send', channel: { $ref: `#/channels/${idOf(topic.name)}` }, summary: `Appends to ${topic.name}.` },
      ]),
    ),
    components: {
      messages: Object.fromEntries([...factByType.keys()].map((type) => [idOf(type), messageOf(type)])),
      schemas: { headers: headersSchema },
    },
  };
}

function channelOf(topic: TopicDefinition): object {
  return {
    address: topic.name,
    description: `${topic.description} ${WRITTEN[topic.visible]} At most ${topic.maxBytes} bytes a record.`,
    messages: Object.fromEntries(typesOf(topic).map((type) => [idOf(type), { $ref: `#/components/messages/${idOf(type)}` }])),
    bindings: {
      kafka: {
        topic: topic.name,
        partitions: topic.partitions.cluster,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': -1 },
      },
    },
  };
}

function messageOf(type: string): object {
  const { $id, title, description, ...schema } = jsonSchemaOf(type) as { $id: string; title: string; description: string };
  return {
    name: title,
    title,
    summary: description,
    contentType: 'application/cloudevents+json',
    headers: { $ref: '#/components/schemas/headers' },
    payload: { schemaFormat: SCHEMA_FORMAT, schema: { title: $id, ...schema } },
  };
}

const text = { type: 'string' };
const headersSchema = {
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'ce_subject'],
  properties: {
    'content-type': text,
    ce_specversion: { const: '1.0' },
    ce_id: text,
    ce_source: text,
    ce_type: text,
    ce_time: text,
    ce_subject: text,
    ce_dataschema: text,
    ce_traceparent: text,
  },
};
