// Building blocks of WebAssembly text for the kernel's functions.

export const get = (name: string) => `(local.get $${name})`;
export const set = (name: string, value: string) => `(local.set $${name} ${value})`;
export const declare = (type: string, names: string[]) => names.map((name) => `(local $${name} ${type})`).join(' ');
export const advance = (name: string, by: number) => set(name, `(i32.add ${get(name)} (i32.const ${by}))`);
export const offsetBy = (name: string, by: number) => `(i32.add ${get(name)} (i32.const ${by}))`;
export const load = (at: string, offset = 0) => `(v128.load offset=${offset} ${get(at)})`;
export const store = (at: string, value: string, offset = 0) => `(v128.store offset=${offset} ${get(at)} ${value})`;
export const loadSplat = (at: string, offset: number) => `(v128.load32_splat offset=${offset} ${get(at)})`;
export const add = (left: string, right: string) => `(i32x4.add ${get(left)} ${get(right)})`;
export const subtract = (left: string, right: string) => `(i32x4.sub ${get(left)} ${get(right)})`;
export const splat = (value: number) => `(v128.const i32x4 ${Array(4).fill(value).join(' ')})`;
export const shuffle = (lanes: string, left: string, right: string) => `(i8x16.shuffle ${lanes} ${left} ${right})`;
export const whileBelow = (label: string, at: string, end: string) =>
  `(br_if $${label} (i32.lt_u ${get(at)} ${get(end)}))`;
