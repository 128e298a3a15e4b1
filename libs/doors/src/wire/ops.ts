/** D15: what a request may ask for beside turns, with its operand. */
const operands = {
  'artifact-head': 'ref',
  'artifact-get': 'ref',
  'session-list': undefined,
  'session-transcript': 'sessionId',
  'session-pending': 'sessionId',
  'session-close': 'sessionId',
} as const;

export type Op = keyof typeof operands;

export const isOp = (op: unknown): op is Op => typeof op === 'string' && Object.hasOwn(operands, op);

/** The one wording for every op that is not one. */
export const opsSentence = `This is no operation with what it needs. Known are: ${Object.entries(operands)
  .map(([op, operand]) => (operand ? `${op} {${operand}}` : op))
  .join(', ')}.`;
