import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';

export interface TracingOptions {
  /** Where spans go by OTLP over HTTP (JSON), such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Of a hundred traces that begin here, how many are exported; one that a caller began is exported as the caller says. */
  readonly percent: number;
  readonly hostId: string;
  readonly version: string;
}

export interface Tracing {
  /** Sends what is left, for 2 s at most. */
  close(): Promise<void>;
}

const EXPORT_MS = 5000;
const GOODBYE_MS = 2000;

/** Exports the process's spans (P8). The SDK is loaded only where this is called; a collector that is away costs the spans and nothing else. */
export async function openTracing({ url, percent, hostId, version }: TracingOptions): Promise<Tracing> {
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'doorledger', 'service.version': version, 'service.instance.id': hostId }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }))],
  });
  trace.setGlobalTracerProvider(provider);
  return {
    close: async () => {
      const late = new AbortController();
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, sleep(GOODBYE_MS, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      trace.disable();
    },
  };
}
