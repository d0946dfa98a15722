/** The words of the page itself, in both languages; those of games come from the catalogue. */

import { language, now } from "./api.js";

/** @type {Record<string, [string, string]>} */
const WORDS = {
  tagline: ["Tabletop games by post: a move at a time, at your own pace.", "Juegos de mesa por correo: una jugada cada vez, a tu ritmo."],
  lead: ["Pick a game. You play against bots at once, without an account or an e-mail address.", "Elige un juego. Juegas contra bots al instante, sin cuenta ni correo."],
  play_now: ["Play now", "Jugar ya"],
  learn: ["Rules", "Reglas"],
  home: ["Tables", "Mesas"],
  rules: ["Rules", "Reglas"],
  settings: ["Settings", "Ajustes"],
  sign_in: ["Sign in", "Entrar"],
  sign_up: ["Create an account", "Crear una cuenta"],
  sign_out: ["Sign out", "Salir"],
  name: ["Name", "Nombre"],
  account: ["Account and privacy", "Cuenta y privacidad"],
  password: ["Password", "Contraseña"],
  password_help: ["10 characters or more.", "10 caracteres o más."],
  have_account: ["You have an account?", "¿Tienes una cuenta?"],
  new_here: ["New here?", "¿Primera vez?"],
  waiting: ["Your move", "Te toca"],
  my_games: ["Your tables", "Tus mesas"],
  open_tables: ["Open tables", "Mesas abiertas"],
  watch: ["Games to watch", "Partidas en curso"],
  finished: ["Finished", "Terminadas"],
  none_waiting: ["Nothing waits for you. Start a game below.", "Nada te espera. Empieza una partida aquí abajo."],
  none_open: ["No table is open. Make one and invite somebody.", "No hay mesas abiertas. Crea una e invita a alguien."],
  new_table: ["New table", "Nueva mesa"],
  make_table: ["Open the table", "Abrir la mesa"],
  game: ["Game", "Juego"],
  title: ["Title", "Título"],
  seats: ["Seats", "Asientos"],
  seat: ["Seat", "Asiento"],
  person: ["a person", "una persona"],
  you: ["you", "tú"],
  You: ["You", "Tú"],
  free: ["free", "libre"],
  gone: ["gone", "se fue"],
  options: ["Options of the game", "Opciones del juego"],
  table_options: ["Options of the table", "Opciones de la mesa"],
  private: ["Private: only by invitation", "Privada: solo con invitación"],
  sandbox: ["Sandbox, to try clients out: nothing counts, no chance is proved.", "Mesa de pruebas para clientes: nada cuenta y el azar no se demuestra."],
  clock: ["Time for a turn", "Tiempo por turno"],
  no_clock: ["no limit", "sin límite"],
  join: ["Take a seat", "Sentarse"],
  leave: ["Leave the table", "Dejar la mesa"],
  start: ["Begin", "Empezar"],
  resign: ["Resign", "Rendirse"],
  resign_sure: ["Leave this game for good?", "¿Abandonar esta partida para siempre?"],
  rematch: ["Play again", "Otra partida"],
  invite: ["Invite by link", "Invitar con un enlace"],
  copy: ["Copy", "Copiar"],
  copied: ["Copied.", "Copiado."],
  open: ["open", "abierta"],
  playing: ["playing", "en juego"],
  closed: ["closed", "cerrada"],
  waits_for: ["Waiting for {0}", "Se espera a {0}"],
  your_turn: ["It is your turn.", "Es tu turno."],
  bot_thinks: ["{0} is thinking …", "{0} está pensando …"],
  over: ["The game is over.", "La partida ha terminado."],
  you_won: ["You have won!", "¡Has ganado!"],
  you_shared: ["You share the win!", "¡Compartes la victoria!"],
  has_won: ["{0} wins.", "Gana {0}."],
  have_won: ["{0} win.", "Ganan {0}."],
  nobody_won: ["Nobody wins.", "No gana nadie."],
  left: ["{0} left", "quedan {0}"],
  until: ["Until {0}.", "Hasta el {0}."],
  then_clock: ["When the time is up, the table plays for whoever is late.", "Si se acaba el tiempo, la mesa juega por quien falte."],
  paused: ["The clocks stand still until {0}.", "Los relojes están parados hasta {0}."],
  no_deadline: ["no deadline", "sin plazo"],
  story: ["Story", "Relato"],
  talk: ["Talk", "Charla"],
  about: ["Table", "Mesa"],
  say: ["Say something", "Di algo"],
  send: ["Send", "Enviar"],
  talk_silent: ["Players may not talk before the game is over.", "No se puede hablar hasta que acabe la partida."],
  talk_empty: ["Nobody has said anything yet.", "Nadie ha dicho nada todavía."],
  spectator: ["a spectator", "alguien que mira"],
  hidden_text: ["(hidden)", "(oculto)"],
  confirm: ["Play it", "Jugar"],
  cancel: ["Cancel", "Cancelar"],
  final: ["This cannot be taken back.", "No se puede deshacer."],
  moves: ["Your moves", "Tus jugadas"],
  state: ["All that you see", "Todo lo que ves"],
  nothing: ["nothing", "nada"],
  yes: ["yes", "sí"],
  no: ["no", "no"],
  offline: ["No connection. What you see may be out of date; trying again …", "Sin conexión. Lo que ves puede no ser actual; reintentando …"],
  back: ["You are connected again.", "Conexión recuperada."],
  failed: ["That did not work.", "Eso no ha funcionado."],
  not_found: ["There is nothing here.", "Aquí no hay nada."],
  loading: ["Loading …", "Cargando …"],
  replay: ["Replay", "Repetición"],
  to_table: ["To the table", "A la mesa"],
  position: ["Position {0} of {1}", "Posición {0} de {1}"],
  turn: ["Turn {0}", "Turno {0}"],
  previous: ["Back one step", "Un paso atrás"],
  next: ["On one step", "Un paso adelante"],
  previous_turn: ["Back one turn", "Un turno atrás"],
  next_turn: ["On one turn", "Un turno adelante"],
  play: ["Play", "Reproducir"],
  stop: ["Stop", "Parar"],
  link: ["Link to this moment", "Enlace a este momento"],
  download: ["Download the record", "Descargar el registro"],
  verify: ["Verify in this browser", "Verificar en este navegador"],
  verify_lead: ["Was anything changed, and was the chance fair? Your browser checks it, from the record alone.", "¿Se cambió algo? ¿Fue limpio el azar? Tu navegador lo comprueba solo con el registro."],
  verify_file: ["Verify a file", "Verificar un archivo"],
  verifying: ["Verifying …", "Verificando …"],
  proved: ["proved", "demostrado"],
  not_provable: ["not provable here", "no demostrable aquí"],
  failed_verdict: ["FAILED", "FALLA"],
  all_good: ["Everything that can be checked here is in order.", "Todo lo que aquí puede comprobarse está en orden."],
  not_good: ["This record is not what the server signed, or not the whole of it.", "Este registro no es el que firmó el servidor, o no está completo."],
  v_receipts: ["Signature", "Firma"],
  v_receipts_help: ["The server has signed the last event, and so all before it: it cannot deny them.", "El servidor firmó el último hecho y, con él, todos los anteriores: no podrá negarlos."],
  v_integrity: ["Nothing was changed", "Nada cambió"],
  v_integrity_help: ["Each event holds the fingerprint of the one before. Hidden cards lay in sealed envelopes (commitments) from the deal on, and what was shown later was inside.", "Cada hecho guarda la huella del anterior. Las cartas ocultas iban en sobres cerrados (compromisos), y lo que se mostró después es lo que había dentro."],
  v_fairness: ["Fair chance", "Azar limpio"],
  v_fairness_help: ["All shuffles and draws follow from one secret number, the seed. Its fingerprint was public before anyone sat down, the number after the end: nobody could choose the cards.", "Todas las barajadas y sorteos salen de un número secreto, la semilla. Su huella se publicó antes de que nadie se sentara y el número al final: nadie pudo elegir las cartas."],
  v_replay: ["Played by the rules", "Según las reglas"],
  v_replay_help: ["Was every move allowed? That needs the rules: the program posta-verify checks it.", "¿Se permitía cada jugada? Eso requiere las reglas: lo comprueba el programa posta-verify."],
  eyes: ["Seen by", "Visto por"],
  plot: ["How it went", "Cómo fue"],
  credits: ["Original:", "Original:"],
  players: ["{0} players", "{0} jugadores"],
  guest: ["You are a guest: this account lives in this browser only. Choose a name and a password to keep it.", "Eres una visita: esta cuenta vive solo en este navegador. Elige nombre y contraseña para conservarla."],
  keep_account: ["Keep this account", "Conservar esta cuenta"],
  save: ["Save", "Guardar"],
  saved: ["Saved.", "Guardado."],
  notices: ["Notices", "Avisos"],
  no_notices: ["Nothing so far. What happens at your tables is told here.", "Nada por ahora. Aquí se cuenta lo que pasa en tus mesas."],
  absentee: ["Whoever answers no more", "Quien deja de responder"],
  sought: ["A player is sought", "Se busca a alguien"],
  propose_sure: ["Propose it? The others vote on it.", "¿Proponerlo? Los demás lo votarán."],
  time_up: ["When time is up", "Si se acaba el tiempo"],
  then_bot: ["After {0} turns in a row a bot plays on.", "Tras {0} turnos seguidos sigue un bot."],
  then_open: ["After {0} turns in a row others may take the seat.", "Tras {0} turnos seguidos otra persona puede ocupar el asiento."],
  then_forfeit: ["After {0} turns in a row the seat is out.", "Tras {0} turnos seguidos el asiento queda fuera."],
  language: ["Language", "Idioma"],
  gallery: ["Gallery", "Galería"],
  gallery_lead: ["Made-up positions.", "Posiciones inventadas."],
  developers: ["For developers: the API", "Para desarrolladores: la API"],
  hand: ["Your hand", "Tu mano"],
  choose_card: ["Choose a card of your hand.", "Elige una carta de tu mano."],
  choose_cell: ["Now choose a marked cell.", "Ahora elige una casilla marcada."],
  skip: ["Skip to the content", "Ir al contenido"],
};

/** Return a word or sentence, with `{0}` and so on filled in. @param {string} id @param {...any} values */
export function t(id, ...values) {
  const found = WORDS[id];
  const text = found ? found[language() === "es" ? 1 : 0] : id;
  return text.replace(/\{(\d)\}/g, (_, at) => values[at]);
}

/** Return one of two texts by language, for a game's drawing. @param {string} en @param {string} es */
export const either = (en, es) => (language() === "es" ? es : en);

/** @param {string[]} words */
export const list = (words) => new Intl.ListFormat(language(), { type: "conjunction" }).format(words);

/** The reader's own way to write dates, where it is one of the page's language. */
export const locale = () => navigator.languages.find((each) => each.startsWith(language())) ?? language();

/** @param {string} moment */
export const day = (moment) => new Date(moment).toLocaleDateString(locale(), { day: "numeric", month: "short" });

/** @param {string} moment */
export const when = (moment) =>
  new Date(moment).toLocaleString(locale(), { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Return how long it is until a moment, by the server's clock: "2 d 3 h". @param {string} moment */
export function until(moment) {
  const seconds = Math.max(0, Math.floor((Date.parse(moment) - now()) / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}

/** Tell whether little is left until a moment: a tenth of a turn that may take so many seconds.
 * @param {string} moment @param {number} [seconds] */
export const isUrgent = (moment, seconds = 36_000) => Date.parse(moment) - now() < seconds * 100;

/** @param {number} seconds */
export function span(seconds) {
  if (seconds % 86400 === 0) return `${seconds / 86400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${Math.round(seconds / 60)} min`;
}
