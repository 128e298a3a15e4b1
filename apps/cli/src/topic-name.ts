import { nearest } from '@doorledger/config';
import { DoorledgerError, topicByName, topics, type TopicDefinition } from '@doorledger/contracts';

/** `session` for `doorledger.session.v1`. */
export const shortName = (name: string): string => name.replace(/^doorledger\./, '').replace(/\.v\d+$/, '');

const byShortName = new Map(Object.values(topics).map((topic): [string, TopicDefinition] => [shortName(topic.name), topic]));

/** A topic by its whole or short name. @throws DoorledgerError `ERR_NO_SUCH_TOPIC` */
export function topicNamed(name: string): TopicDefinition {
  const topic = topicByName.get(name) ?? byShortName.get(name);
  if (topic) return topic;
  const near = nearest(name, byShortName.keys());
  throw new DoorledgerError(
    'ERR_NO_SUCH_TOPIC',
    `There is no topic of that name; ${near ? `did you mean ${near}?` : 'doorledger topics lists them.'}`,
  );
}
