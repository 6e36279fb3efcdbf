// A page with only the face engine and the people store, for tests and benchmarks in a browser.
import { createFaceEngine } from '../../src/models/face-engine.ts';
import { createPeopleStore } from '../../src/people/people-store.ts';
import { openPerson, sealPerson } from '../../src/people/person-record.ts';

const tools = { createFaceEngine, createPeopleStore, openPerson, sealPerson };

declare global {
  interface Window {
    createFaceEngine: typeof createFaceEngine;
  }
}

Object.assign(window, tools);
