// The shop's page: opens the check, and asks its own server for the outcome, which the element
// never knows.
const TEXTS = {
  admit: 'Thank you. Your wine is on its way.',
  refuse: 'Sorry, we cannot sell you this wine.',
  not_completed: 'Your age could not be checked. Please try again.',
  wait: 'One moment: we wait for the outcome.',
  in_review: 'A person has to look at your check first. We keep your order until then.',
};
const text = document.querySelector('#text');
const check = document.querySelector('limen-check');
let order;

document.querySelector('#buy').addEventListener('click', async () => {
  const reply = await fetch('/orders', { method: 'POST' });
  if (!reply.ok) {
    text.textContent = 'Something went wrong. Is the service running?';
    return;
  }
  ({ order, launchUrl: check.launchUrl } = await reply.json());
  check.open();
});
check.addEventListener('ended', follow);
check.addEventListener('cancelled', follow);

/** The webhook arrives slightly before or after the page's end. */
async function follow() {
  const { action, reason } = await (await fetch(`/orders/${order}`)).json();
  text.textContent = TEXTS[reason] ?? TEXTS[action];
  if (action === 'wait') setTimeout(follow, reason === 'in_review' ? 5_000 : 500);
}
