import { integer } from './kind.js';
import { Setting } from './setting.js';
import { toolRuleList, type ToolRuleConfig } from './tool-rules.js';
import { toolServerList, type ToolServerConfig } from './tool-servers.js';

const HOUR = 3_600_000;
const millis = (max: number) => integer(1, max);

export class ToolSettings {
  @Setting({
    about: 'Tool servers (MCP) whose tools the agent may call, and how each is reached.',
    kind: toolServerList,
    otherwise: 'no tools',
  })
  readonly servers: readonly ToolServerConfig[] = [];

  @Setting({
    about: 'Rules that judge each tool call before it is sent, in this order: they allow, deny, rewrite or ask a person.',
    kind: toolRuleList,
    otherwise: 'no rules',
  })
  readonly rules: readonly ToolRuleConfig[] = [];

  @Setting({
    about: 'Most live tool sessions of a host; past it the one that was not used for longest is closed.',
    kind: integer(1, 100_000),
  })
  readonly maxLive: number = 64;

  @Setting({ about: 'Most live tool sessions of one person on a host.', kind: integer(1, 100_000) })
  readonly maxLivePerPerson: number = 16;

  @Setting({ about: 'A tool session that nobody called for so long is closed, in milliseconds.', kind: millis(24 * HOUR) })
  readonly idleMs: number = 900_000;

  @Setting({ about: 'Longest life of a tool session, in milliseconds.', kind: millis(7 * 24 * HOUR) })
  readonly maxAgeMs: number = 8 * HOUR;
}
