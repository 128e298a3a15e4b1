export { httpDoor, type HttpDoorOptions } from './http/http-door.js';
export { IngressRecorder, type IngressEntry, type IngressRecorderOptions } from './ingress/ingress-recorder.js';
export { failure, type Terminal } from './wire/terminal.js';
export type { TurnRequest } from './wire/turn-request.js';
export { turnDoor, type TurnDoorOptions } from './turn-door.js';
