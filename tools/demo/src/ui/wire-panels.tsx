// The wire traffic: request and reply, webhook, result.

import type { ComponentChildren } from 'preact';
import type { BodyView, CheckView, ExchangeView, WebhookView } from '../../server/check-view.ts';
import { pictureAddress } from '../host.ts';
import { CopyButton } from './copy-button.tsx';
import { JsonView, toText } from './json-view.tsx';

/** Headers relevant to a receiver; the others are those of any HTTP call. */
const SIGNIFICANT = /^(x-service-|webhook-id$|content-type$|x-api-key$|idempotency-key$|authorization$|x-error-code$)/;

export function WirePanels({ check, children }: { check: CheckView; children: ComponentChildren }) {
  const { create, webhooks, result } = check;
  return (
    <div class="wire">
      <Column id="request" title="Request" about="Your back end to Limen, through the SDK">
        {create && <Exchange exchange={create} names={['the request', 'the reply']} />}
      </Column>
      <Column id="webhook" title="Webhook" about="Limen to your back end, signed">
        {webhooks.length === 0 && <p class="empty">Arrives when the check ends.</p>}
        {webhooks.map((webhook, nth) => (
          <Webhook key={nth} webhook={webhook} nth={nth + 1}>
            {webhook.hasPicture && <Picture address={pictureAddress(check.id, nth)} />}
          </Webhook>
        ))}
      </Column>
      <Column id="result" title="Result" about="Your back end asks, through the SDK">
        {result === null && <p class="empty">Fetched after the webhook here. You can ask at any time.</p>}
        {result && <Exchange exchange={result} names={['the result request', 'the result']} />}
        {children}
      </Column>
    </div>
  );
}

interface ColumnProps {
  id: string;
  title: string;
  about: string;
  children: ComponentChildren;
}

function Column({ id, title, about, children }: ColumnProps) {
  return (
    <section class="panel column" aria-labelledby={`${id}-title`} data-column={id}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        <p>{about}</p>
      </header>
      {children}
    </section>
  );
}

function Exchange({ exchange: { request, reply }, names }: { exchange: ExchangeView; names: [string, string] }) {
  return (
    <>
      <p class="line">
        <strong>{request.method}</strong> <code>{pathOf(request.url)}</code>
      </p>
      <HeaderList headers={request.headers} of={names[0]} />
      {request.body !== null && <Body of={request} what={names[0]} />}
      {reply && (
        <>
          <p class="line">
            <span class={`badge ${reply.status < 400 ? 'badge-good' : 'badge-bad'}`}>{reply.status}</span> Reply
          </p>
          {reply.body !== null && <Body of={reply} what={names[1]} />}
        </>
      )}
    </>
  );
}

/** As written, because a parser would percent-encode the mask. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '');
}

/** From the demo's memory, because the service deletes it after the delivery. */
function Picture({ address }: { address: string }) {
  return (
    <figure class="picture">
      <img src={address} alt="The selfie that came in the webhook" />
      <figcaption>
        The selfie, from <code>images</code>. The service no longer has it; this demo keeps it in memory only.
      </figcaption>
    </figure>
  );
}

interface WebhookProps {
  webhook: WebhookView;
  nth: number;
  children: ComponentChildren;
}

function Webhook({ webhook, nth, children }: WebhookProps) {
  const { headers, verified, event, problem } = webhook;
  const what = nth === 1 ? 'the webhook' : `webhook ${nth}`;
  return (
    <>
      <p class="line">
        <span class={`badge ${verified ? 'badge-good' : 'badge-bad'}`}>
          {verified ? '✓ verified' : `not genuine: ${problem}`}
        </span>{' '}
        <code>verifyWebhook</code>
        {event !== null && (
          <>
            {': '}
            <code>{event}</code>
          </>
        )}
      </p>
      <HeaderList headers={headers} of={what} />
      {children}
      <Body of={webhook} what={what} />
    </>
  );
}

function Body({ of, what }: { of: BodyView; what: string }) {
  const { body: value, metadata } = of;
  return (
    <div class="body">
      <JsonView value={value} metadata={metadata} label={`Body of ${what}`} />
      <CopyButton text={toText({ value, metadata })} what={`the body of ${what}`} />
    </div>
  );
}

function HeaderList({ headers, of }: { headers: Record<string, string>; of: string }) {
  const all = Object.entries(headers);
  const furtherHeaders = all.filter(([name]) => !SIGNIFICANT.test(name));
  return (
    <div class="headers">
      <Entries entries={all.filter(([name]) => SIGNIFICANT.test(name))} />
      {furtherHeaders.length > 0 && (
        <details>
          <summary>
            {furtherHeaders.length} more {furtherHeaders.length === 1 ? 'header' : 'headers'}
            <span class="hidden"> of {of}</span>
          </summary>
          <Entries entries={furtherHeaders} />
        </details>
      )}
    </div>
  );
}

function Entries({ entries }: { entries: [string, string][] }) {
  if (entries.length === 0) return null;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
