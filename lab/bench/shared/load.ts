// The load, in a process of its own: takes jobs over IPC, fires them with autocannon and reports rate and latency.
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

/** Requests are rendered before the first one is sent; each connection repeats a random draw of this many. */
const DRAWN_PER_CONNECTION = 200;

// The parent is gone: nobody wants the results.
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
  // autocannon's own histogram holds whole milliseconds, and its rate counts the time to connect.
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
 * Keeps the event loop turning. Waking a sleeping process is charged to whoever writes to its socket, and on a virtual
 * machine it costs as much as half a request: the more idle the load, the slower the server would look.
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
