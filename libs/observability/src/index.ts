export { errorLine, type ErrorLine } from './error-line.js';
export { createLogger, type Logger, type LogSettings } from './logger.js';
export { metricDefinitions, type MetricName } from './metrics/definitions.js';
export { Metrics } from './metrics/metrics.js';
export { NestLogger } from './nest-logger.js';
export { referenceId } from './reference-id.js';
export { openTracing, type Tracing } from './tracing/open-tracing.js';
export { SpanKind, inSpan } from './tracing/spans.js';
