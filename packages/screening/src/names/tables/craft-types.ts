// Types of ships that documents put before or after the name: `Crude Oil Tanker Orvel Star`, `ORVEL
// STAR (Tug)`.

/** Comma-separated, without punctuation: `LPG/C` is `lpg c`. Several may follow one another. */
export const CRAFT_TYPES = `
  tanker, oil tanker, crude oil tanker, crude tanker, crude carrier, crude oil carrier, product tanker, products tanker,
  oil product tanker, oil products tanker, product carrier, chemical tanker, chemical oil tanker, oil chemical tanker,
  chemical products tanker, chemical oil products tanker, gas tanker, gas carrier, liquefied gas carrier, liquefied gas tanker,
  lpg, lng, lpg c, lng c, lpg tanker, lng tanker, lpg carrier, lng carrier, motor tanker, steam tanker, shuttle tanker,
  storage tanker, bunkering tanker, bunker tanker, bunker barge, bitumen tanker, asphalt tanker, water tanker, very large crude carrier,
  vlcc, ulcc, suezmax, aframax, panamax, handymax, handysize, supramax, ultramax, capesize, fso, fpso,
  bulk carrier, bulk cargo carrier, bulker, dry bulk carrier, ore carrier, obo carrier, ore bulk oil carrier, cement carrier,
  self discharging bulk carrier, wood chips carrier, livestock carrier, vehicle carrier, vehicles carrier, car carrier, pctc,
  container ship, containership, container vessel, container carrier, fully cellular container ship,
  cargo ship, cargo vessel, cargo carrier, general cargo, general cargo ship, general cargo vessel, general cargo carrier,
  dry cargo ship, dry cargo vessel, dry cargo, multi purpose vessel, multipurpose vessel, multi purpose cargo ship,
  multipurpose cargo ship, heavy lift vessel, heavy load carrier, heavy lift ship, deck cargo ship, palletised cargo ship,
  reefer, reefer vessel, reefer ship, refrigerated cargo ship, refrigerated cargo, refrigerated vessel, fish carrier, fruit carrier,
  ro ro, roro, ro ro cargo, ro ro cargo ship, ro ro vessel, ro ro ship, ropax, ro pax, ro ro passenger ship, passenger ship,
  passenger vessel, passenger ferry, passenger cargo ship, cruise ship, cruise vessel, ferry,
  tug, tug boat, tugboat, tugs, pusher tug, towing vessel, harbour tug, harbor tug, salvage tug, ocean tug, anchor handling tug,
  anchor handling vessel, anchor handling tug supply, ahts, offshore supply vessel, offshore supply ship, offshore tug supply ship,
  offshore vessel, supply vessel, supply ship, platform supply vessel, psv, osv, crew boat, crew vessel, crew supply vessel,
  standby safety vessel, utility vessel, workboat, work boat, pilot vessel, pilot boat, offshore support vessel, support vessel,
  fishing vessel, fishing boat, fishing ship, fishing trawler, trawler, factory trawler, longliner, fish factory ship,
  research vessel, research ship, survey vessel, survey ship, training ship, training vessel, patrol vessel, patrol boat, patrol ship,
  hospital ship, icebreaker, ice breaker, cable layer, cable ship, pipe layer, pipe layer crane vessel, crane ship, crane vessel,
  crane barge, floating crane, floating dock, dredger, hopper dredger, suction dredger, trailing suction hopper dredger, hopper barge,
  barge, deck barge, oil barge, cargo barge, pontoon, landing craft, landing ship, drilling ship, drillship, diving support vessel,
  yacht, motor yacht, sailing yacht, sailing vessel, sailing ship, dhow, motor ship, motor vessel, motor boat, motorboat, steam ship,
  steamship, steamer, vessel, ship, the vessel, the ship, the motor vessel, the tanker, merchant vessel, merchant ship,
  mv, mt, mts, m v, m t, m s, m y, s s, s y, f v, r v, t t, b c, o t, c s, tb, t b
`;
