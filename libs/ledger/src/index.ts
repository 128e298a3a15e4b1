export { askLedger } from './ask-ledger.js';
export { ledgerDigest, type Digest } from './digest.js';
export { LedgerError } from './errors.js';
export type { Generations, KnownDigest, OpenGeneration } from './generations.js';
export { startsOf } from './history.js';
export { ledgerReader } from './ledger-reader.js';
export type { Fault } from './projection/group.js';
export { grantKey, readGrantRecord, type GrantRecord } from './projection/grant-record.js';
export { projectedTopics } from './projection/index.js';
export { Projector, type ProjectorHealth, type ProjectorOptions } from './projector.js';
export { readCensus, type Census } from './queries/census.js';
export { readCensusCheck, type CensusCheck, type LifeCheck } from './queries/census-check.js';
export { CENSUS_DIMENSIONS, type CensusDimension, type CensusRequest } from './queries/census-tally.js';
export type { GrantHistory } from './queries/grants.js';
export { readConsent, type ConsentAttempt, type ConsentDetail } from './queries/consent-detail.js';
export { readConsentNews, type ConsentNews, type NewsRange } from './queries/consent-news.js';
export { CONSENT_STATES, type ConsentItem } from './queries/consent-item.js';
export { listConsents, type ConsentFilter, type ConsentSight } from './queries/consents.js';
export { sessionSearch } from './queries/found-sessions.js';
export { readHeads } from './queries/heads.js';
export { listIngress, type IngressItem } from './queries/ingress.js';
export { countBlocked, countQuarantined, countWaitingConsents, readTopicStatus, type TopicStatus } from './queries/log-status.js';
export { MAX_PAGE, type Page, type PageRequest } from './queries/page.js';
export type { OwnSession } from './queries/own-sessions.js';
export type { SealedName } from './queries/sealed-names.js';
export { listQuarantined, type QuarantinedRecord } from './queries/quarantine.js';
export { isShown, listSessions, type SessionItem, type Shown } from './queries/sessions.js';
export { readTimeline, type TimelineItem } from './queries/timeline.js';
export { TOOL_CALL_STATES, listToolCalls, type ToolCallFilter, type ToolCallItem } from './queries/tool-calls.js';
export {
  CLOSE_REASONS,
  TOOL_SESSION_STATES,
  listToolSessions,
  type ToolSessionFilter,
  type ToolSessionItem,
} from './queries/tool-sessions.js';
export { readToolSessionSummary, type ToolSessionSummary } from './queries/tool-session-summary.js';
export { readTurnDetail, type TurnDetail } from './queries/turns.js';
export type {
  ArtifactReading,
  DueConsent,
  Freeze,
  KnownFreezes,
  KnownHolders,
  LedgerPositions,
  LedgerReader,
  LostToolSession,
  OpenRun,
  OwnedKey,
  SessionSnapshot,
  NamedContent,
  StandingContent,
  StoredArtifact,
} from './reader.js';
export { rebuild, type RebuildOptions, type RebuildProgress } from './rebuild.js';
export type { LedgerTables, Row, TableName } from './schema/index.js';
export { LedgerGenerations } from './sqlite/generations.js';
export { replay, type ReplayOptions, type ReplayResult } from './sqlite/replay.js';
export type { LedgerCommit, LedgerStore } from './store.js';
export { SwitchableStore } from './switchable-store.js';
export { upkeepReader, type UpkeepReader } from './upkeep-reader.js';
