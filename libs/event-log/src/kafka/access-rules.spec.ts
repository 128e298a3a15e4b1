import { type TopicDefinition, topics } from '@doorledger/contracts';
import { accessCommands, accessRules, projectorGroup, type Principals } from './access-rules.js';

const all = Object.values(topics as Record<string, TopicDefinition>);
const may = (principal: keyof Principals, operation: string) =>
  new Set(accessRules.filter((rule) => rule.principal === principal && rule.operations.includes(operation)).flatMap((rule) => rule.topics));
const namesOf = (isMeant: (topic: TopicDefinition) => boolean) => new Set(all.filter(isMeant).map(({ name }) => name));

describe('who may do what on Kafka', () => {
  it('V4 lets hosts write the truth, the projector its feeds, and analytics read what is public', () => {
    expect(may('host', 'Write')).toEqual(namesOf(({ holds }) => holds === 'truth'));
    expect(may('projector', 'Write')).toEqual(namesOf(({ holds }) => holds === 'derived'));
    expect(may('projector', 'Read')).toEqual(namesOf(() => true));
    expect(may('analytics', 'Read')).toEqual(namesOf(({ visible }) => visible === 'public'));
    expect(may('analytics', 'Write')).toEqual(new Set());
  });

  it('V4 prints the rules as commands of the tool that comes with Kafka', () => {
    const commands = accessCommands(['a:9092', 'b:9092'], { host: 'h', projector: 'p', analytics: 'bi', operator: 'ops' });
    expect(commands).toContain(
      `kafka-acls.sh --bootstrap-server a:9092,b:9092 --add --allow-principal User:p --operation Write --topic ${topics.consent.name}`,
    );
    expect(commands).toContain(
      'kafka-acls.sh --bootstrap-server a:9092,b:9092 --add --allow-principal User:p --operation Read --operation Describe --group doorledger- --resource-pattern-type prefixed',
    );
    expect(commands).toContain(
      'kafka-acls.sh --bootstrap-server a:9092,b:9092 --add --allow-principal User:bi --operation Read --operation Describe --group analytics- --resource-pattern-type prefixed',
    );
    expect(projectorGroup('main', 'a')).toMatch(/^doorledger-/);
    expect(projectorGroup('main', 'b')).not.toBe(projectorGroup('main', 'a'));
    expect(commands.join('\n')).not.toMatch(/User:bi.*private/);
  });
});
