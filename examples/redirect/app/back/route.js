// GET /back: the page after the check. Coming back says nothing about the outcome; the webhook
// does.
import { orders } from '../_shop/limen.js';
import { page } from '../_shop/page.js';

const TEXTS = {
  admit: 'Thank you. Your wine is on its way.',
  refuse: 'Sorry, we cannot sell you this wine.',
  not_completed: 'Your age could not be checked. Please try again.',
  wait: 'The check is not over yet. Load this page again in a moment.',
  in_review: 'A person has to look at your check first. We keep your order until then.',
};

export function GET(request) {
  const order = orders.get(new URL(request.url).searchParams.get('order'));
  if (!order) return page('Your order', '<p>There is no such order.</p>');
  const { action, reason } = order.decision;
  return page('Your order', `<p>${TEXTS[reason] ?? TEXTS[action]}</p>`);
}
