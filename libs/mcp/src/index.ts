export { type CallEnd, type CallProgress, type CallTry, type Fence, type SendOptions, type ToolFile } from './call-end.js';
export { type PreparedCall } from './prepared-call.js';
export { type OfferedTool, type ServerSettings, type TransportSettings } from './settings.js';
export { ToolServers, type ToolServersOptions } from './tool-servers.js';
