// Load generator in a separate process: receives jobs over IPC, runs them with autocannon, reports
// rate and latency.
import autocannon from 'autocannon';

export interface LoadJob {
  url: string;
  requests: autocannon.Request[];
  connections: number;
  seconds: number;
}

export interface LoadResult {
  perSecond: number;
  p99Ms: number;
  requests: number;
  /** Connection errors, timeouts and replies other than 2xx. */
  failures: number;
}

/** Requests rendered in advance. Each connection repeats a random selection of this many. */
const DRAWN_PER_CONNECTION = 200;

// The parent has exited.
process.on('disconnect', () => process.exit());
process.on('message', (job: LoadJob) => {
  const stopSpinning = stayAwake();
  fire(job)
    .finally(stopSpinning)
    .then(
      (result) => process.send?.(result),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
});

async function fire({ url, requests, connections, seconds }: LoadJob): Promise<LoadResult> {
  // autocannon's histogram has whole milliseconds, and its rate includes connecting.
  const latencies: number[] = [];
  let first = 0;
  let last = 0;
  const { errors, non2xx } = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      duration: seconds,
      sampleInt: 100,
      setupClient: (client) => client.setRequests(draw(requests, DRAWN_PER_CONNECTION)),
    };
    const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      last = performance.now();
      if (latencies.length === 0) first = last;
      latencies.push(milliseconds);
    });
  });
  latencies.sort((a, b) => a - b);
  return {
    perSecond: ((latencies.length - 1) / (last - first)) * 1000,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    requests: latencies.length,
    failures: errors + non2xx,
  };
}

function draw(requests: autocannon.Request[], count: number): autocannon.Request[] {
  return Array.from({ length: count }, () => ({ ...requests[Math.floor(Math.random() * requests.length)] }));
}

/**
 * Busy-loops, because waking a sleeping process is charged to the writer of its socket, which on a
 * virtual machine costs half a request. An idle load generator would make the server look slower.
 */
function stayAwake(): () => void {
  let running = true;
  const turn = () => {
    if (running) setImmediate(turn);
  };
  turn();
  return () => {
    running = false;
  };
}
