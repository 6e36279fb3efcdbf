// Scripts of an attacker that run before the page's own: changed settings, forged replies,
// swallowed reports.

/** Changes the parsed plan but not its text. `change`: code with access to each `step`. */
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

/** Changes the plan's text, as if the service had sent it. */
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
