// Parsing of the file of known ages, and reports of unusable lines.
import { expect, test } from 'vitest';
import { parseKnownPeople } from './known-people.ts';

const read = (text: string) => [...parseKnownPeople(text).people];
const unread = (text: string) => parseKnownPeople(text).unread.map(({ line, because }) => [line, because]);

test('matches a name with and without its file extension', () => {
  expect(read('a,17\nb.jpg,18\nc.JPEG,19')).toEqual([
    ['a', { age: 17, sex: '' }],
    ['b', { age: 18, sex: '' }],
    ['c', { age: 19, sex: '' }],
  ]);
});

test('unifies F, f and female, and M, m and male, and keeps other words', () => {
  const people = read('a,1,F\nb,1,f\nc,1,Female\nd,1,M\ne,1,m\nf,1,male\ng,1,X');
  expect(people.map(([, { sex }]) => sex)).toEqual(['female', 'female', 'female', 'male', 'male', 'male', 'x']);
});

test('accepts a heading, empty lines, a byte order mark, quotes and Windows line endings', () => {
  const text = '\uFEFFname,age,sex\r\n\r\n"Doe, Jo",40,f\r\nb, 30.5 , m\r\n';
  expect(read(text)).toEqual([
    ['Doe, Jo', { age: 40, sex: 'female' }],
    ['b', { age: 30.5, sex: 'male' }],
  ]);
  expect(unread(text)).toEqual([]);
});

test.each([
  ['name;age;sex', 'its parts are not separated by commas'],
  ['a;34;f', 'its parts are not separated by commas'],
  ['a\t34', 'its parts are not separated by commas'],
  ['a', 'it has no age'],
  ['a,', 'it has no age'],
  [',34', 'it has no name'],
  ['a,4o', 'its age “4o” is not a number'],
  ['a,-1', 'its age is not from 0 to 119'],
  ['a,120', 'its age is not from 0 to 119'],
  ['a,34,f,x', 'it has more than name, age and sex'],
  ['"a,34', 'it has no age'],
])('reports the line “%s”', (line, because) => {
  expect(unread(line)).toEqual([[1, because]]);
});

test('treats a word for an age as a heading in the first line only', () => {
  expect(unread('name,age\nb,forty')).toEqual([[2, 'its age “forty” is not a number']]);
});

test('uses the first line of a repeated name', () => {
  expect(read('a,17\na.jpg,40')).toEqual([['a', { age: 17, sex: '' }]]);
  expect(unread('a,17\na.jpg,40')).toEqual([[2, 'its name was there before']]);
});
