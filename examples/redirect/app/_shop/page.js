// A page of the shop.

export function page(heading, body) {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${body}</html>`;
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}
