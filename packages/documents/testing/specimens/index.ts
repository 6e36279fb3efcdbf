export { drawSpecimen } from './draw-specimen.ts';
export { drawPerson, type Person } from './person.ts';
export type { Specimen, SpecimenWish } from './wish.ts';
