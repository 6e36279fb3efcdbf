// The shop's page: opens the check, and asks its own server how it ended. The element itself never knows.
const TEXTS = {
  open: 'One moment: we wait for the outcome.',
  adult: 'Thank you. Your wine is on its way.',
  minor: 'Sorry, not before you are 18.',
  unknown: 'Your age could not be found out.',
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

/** The webhook reaches the shop a moment before or after the page's end. */
async function follow() {
  const { state } = await (await fetch(`/orders/${order}`)).json();
  text.textContent = TEXTS[state];
  if (state === 'open') setTimeout(follow, 500);
}
