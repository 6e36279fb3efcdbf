// Scripts that a hostile person runs before those of the page: settings changed, replies forged, reports swallowed.

/** What the page reads in its plan, whose text stays as the service wrote it. `change` is code that has each `step`. */
export function changePlanAsRead(change: string): string {
  return `{
    const parse = JSON.parse;
    JSON.parse = (text, reviver) => {
      const value = parse(text, reviver);
      if (value?.nonce) for (const step of value.steps) { ${change} }
      return value;
    };
  }`;
}

/** The plan as another text, as if the service had sent that. */
export function changePlanAsSent(change: string): string {
  return `{
    const fetchAsIs = fetch;
    globalThis.fetch = async (url, init) => {
      const response = await fetchAsIs(url, init);
      if (!String(url).endsWith('/claim') || !response.ok) return response;
      const reply = await response.json();
      const plan = JSON.parse(reply.plan);
      for (const step of plan.steps) { ${change} }
      const changed = JSON.stringify({ ...reply, plan: JSON.stringify(plan) });
      return new Response(changed, { headers: response.headers });
    };
  }`;
}
