// GET /back: where the check sends the person. That they come back says nothing of how it ended: the webhook does.
import { orders } from '../_shop/limen.js';
import { page } from '../_shop/page.js';

const TEXTS = {
  open: 'The check is not over yet. Load this page again in a moment.',
  adult: 'Thank you. Your wine is on its way.',
  minor: 'Sorry, not before you are 18.',
  unknown: 'Your age could not be found out.',
};

export function GET(request) {
  const order = new URL(request.url).searchParams.get('order');
  return page('Your order', `<p>${TEXTS[orders.get(order)] ?? 'There is no such order.'}</p>`);
}
