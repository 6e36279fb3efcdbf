// GET /: the shop.
import { page } from './_shop/page.js';

export function GET() {
  return page('A bottle of wine', '<form method="post" action="/check"><button>Buy, and show my age</button></form>');
}
