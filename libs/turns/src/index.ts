export { PrivateWriter, type PrivateRef, type PrivateWriterOptions } from './content.js';
export { TurnError, type TurnErrorCode } from './turn-error.js';
export { TurnRunner, classOf, newTurnId, type TurnAnswer, type TurnAsk, type TurnRunnerOptions } from './turn-runner.js';
export { endEarlierRuns, type RestartOptions } from './restart.js';
export { Sweep, type SweepOptions } from './sweep.js';
export { sessionHistory, type HistoryOptions } from './history.js';
