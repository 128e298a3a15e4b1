export { PrivateWriter, type PrivateRef, type PrivateWriterOptions } from './content.js';
export { RememberedKeyError, TurnError, type TurnErrorCode } from './turn-error.js';
export { TurnRunner, classOf, newTurnId, type TurnAnswer, type TurnAsk, type TurnRunnerOptions, type TurnWatch } from './turn-runner.js';
export { endEarlierRuns, type RestartOptions } from './restart.js';
export { Sweep, type SweepOptions } from './sweep.js';
export { TurnContent, type Said, type TurnContentOptions } from './turn-content.js';
export { sessionHistory, type HistoryOptions } from './history.js';
