export { type CallEnd, type CallProgress, type CallTry, type Fence, type SendOptions, type ToolFile } from './call-end.js';
export { ToolCallError, ToolServerError, ToolServersRefusedError } from './errors.js';
export { type PreparedCall } from './prepared-call.js';
export { type OfferedTool, type ServerSettings, type TransportSettings } from './settings.js';
export { ToolServers, type ToolServersOptions } from './tool-servers.js';
export { modelNames, type ModelNames } from './tools/model-names.js';
export { toolHash } from './tools/tool-hash.js';
