// Load generator of the node benchmark in a separate process: receives jobs over IPC and reports
// every latency.
import autocannon from 'autocannon';

export interface NodeJob {
  url: string;
  connections: number;
  seconds: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** Bodies, each sent once unless there are too few. Without any, requests have no body. */
  bodies: string[];
  /** Pause between a reply and the next request, for a probe that must not add load. */
  pauseMs?: number;
}

export interface NodeResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
  /** Connection errors, timeouts and replies other than 2xx. */
  failures: number;
  /** Whether bodies were repeated because there were too few. */
  repeated: boolean;
}

// The parent has exited.
process.on('disconnect', () => process.exit());
process.on('message', (job: NodeJob) => {
  const run = job.pauseMs === undefined ? fire(job) : probe(job, job.pauseMs);
  run.then(
    (result) => process.send?.(result),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function fire(job: NodeJob): Promise<NodeResult> {
  const { url, connections, seconds, method, path, headers, bodies } = job;
  const latencies: number[] = [];
  let [first, last, clients] = [0, 0, 0];
  const { errors, non2xx } = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      duration: seconds,
      sampleInt: 100,
      setupClient(client) {
        const nth = clients++;
        const own = bodies.filter((_, i) => i % connections === nth);
        const requests = own.length > 0 ? own.map((body) => ({ method, path, headers, body })) : [{ method, path }];
        client.setRequests(requests);
      },
    };
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      last = performance.now();
      if (latencies.length === 0) first = last;
      latencies.push(milliseconds);
    });
  });
  const perSecond =
    latencies.length < 2 ? latencies.length / seconds : ((latencies.length - 1) / (last - first)) * 1000;
  return { ...summarize(latencies, perSecond), failures: errors + non2xx, repeated: latencies.length > bodies.length };
}

async function probe({ url, path, seconds }: NodeJob, pauseMs: number): Promise<NodeResult> {
  const latencies: number[] = [];
  let failures = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const start = performance.now();
    const reply = await fetch(url + path);
    await reply.text();
    latencies.push(performance.now() - start);
    if (!reply.ok) failures += 1;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { ...summarize(latencies, latencies.length / seconds), failures, repeated: false };
}

function summarize(latencies: number[], perSecond: number) {
  latencies.sort((a, b) => a - b);
  const quantile = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
  return { perSecond, p50Ms: quantile(0.5), p99Ms: quantile(0.99), requests: latencies.length };
}
