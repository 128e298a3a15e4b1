import { ROOT_CONTEXT, SpanStatusCode, trace, type Context, type Span, type SpanOptions } from '@opentelemetry/api';
import { DoorledgerError, currentTraceparent, inTrace } from '@doorledger/contracts';

export { SpanKind } from '@opentelemetry/api';

const tracer = trace.getTracer('doorledger');

/**
 * Does `work` as a span of the trace that is being worked for, or of a new one (P8). What it calls, and the facts it writes, name the span
 * as theirs. Where nobody exports traces, or the trace is not sampled, it is just the work. A failure is told by its code or class alone.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => T): T {
  const span = tracer.startSpan(name, options, parent());
  if (!span.isRecording()) return work(span);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return inTrace(`00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`, () => {
    try {
      const result = work(span);
      if (!(result instanceof Promise)) span.end();
      else void result.catch((error: unknown) => failed(span, error)).finally(() => span.end());
      return result;
    } catch (error) {
      failed(span, error);
      span.end();
      throw error;
    }
  });
}

function parent(): Context {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = traceparent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, { traceId: traceId!, spanId: spanId!, traceFlags: parseInt(flags!, 16), isRemote: true });
}

function failed(span: Span, error: unknown): void {
  const kind = error instanceof DoorledgerError ? error.code : ((error as Error | null)?.constructor.name ?? 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', kind);
}
