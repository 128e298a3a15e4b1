import { partitionCounts } from '@doorledger/contracts';
import { accessCommands, createTopics, judgeTopics, type TopicProblem, type TopicsOptions } from '@doorledger/event-log/kafka';
import { kafkaConnection } from '../../../host/src/open-log.js';
import type { CommandContext, ExitCode } from '../command-context.js';

/** The Kafka users that the printed commands name. */
const USERS = {
  host: 'doorledger-host',
  projector: 'doorledger-projector',
  analytics: 'doorledger-analytics',
  operator: 'doorledger-operator',
};

/** Makes and mends, prints what was done and what is left to mend by hand; 1 if anything is. @throws DoorledgerError as an operator's sentence */
export async function create(context: CommandContext): Promise<ExitCode> {
  const options = optionsFor(context);
  if (!options) return 0;
  const done = await createTopics(options);
  for (const sentence of done) await (context.output.isTerminal ? context.output.line(sentence) : context.output.json({ done: sentence }));
  return tellProblems(context, await judgeTopics(options));
}

/** Prints every problem with its mend (K13); 1 if there is one. @throws DoorledgerError as an operator's sentence */
export async function check(context: CommandContext): Promise<ExitCode> {
  const options = optionsFor(context);
  return options ? tellProblems(context, await judgeTopics(options)) : 0;
}

/** Prints commands of Kafka's own tool (V4). */
export async function acls(context: CommandContext): Promise<ExitCode> {
  const options = optionsFor(context);
  if (options) for (const command of accessCommands(options.connection.brokers, USERS)) await context.output.line(command);
  return 0;
}

function optionsFor({ config, say }: CommandContext): TopicsOptions | undefined {
  const { log, kafka } = config;
  if (log === 'kafka') return { connection: kafkaConnection(config), topics: partitionCounts(kafka.partitions), dev: kafka.dev };
  say('The embedded log makes and guards its own topics: there is nothing to do.');
  return undefined;
}

/** A line each: JSON when piped. */
async function tellProblems({ output, say }: CommandContext, problems: readonly TopicProblem[]): Promise<ExitCode> {
  for (const problem of problems) {
    const { topic, setting, found, wanted, mend } = problem;
    await (output.isTerminal ? output.line(`${topic}: ${setting} is ${found}, wanted ${wanted}. Mend: ${mend}`) : output.json(problem));
  }
  say(problems.length === 0 ? 'The topics are as the log needs them.' : `${problems.length} to mend.`);
  return problems.length === 0 ? 0 : 1;
}
