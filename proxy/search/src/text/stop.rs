//! Which words say nothing about what is wanted? Folded, of the languages most questions come in.

use std::collections::HashSet;
use std::sync::LazyLock;

/// One line a language: articles, pronouns, prepositions, auxiliaries, and the words with which
/// people address an assistant.
const WORDS: &str = "
a an the and or of to in on at for from by with as is are was were be been being am do does did done doing have has had having it its this that these those there here i me my mine we us our you your he him his she her they them their what which who whom whose when where why how can could would should shall will may might must not no nor so than then too very just also about into over under again further once if because while during before after above below up down out off only own same such both each few more most other some any all want need like please help let lets us tell give show me know using use via per within without between
ir ar o bet kad kaip kas kur kai ka ko kuri kuris kurie yra buvo bus as mes jus tu jis ji jie man mano mums musu tau tavo savo is i su be del pagal prie per po uz nuo iki ant apie noriu reikia prasau gali galiu galima ta tas tai tie sis si sie sia siuos jau dar tik visi visus visas visa kiek kokie kokia koks
der die das den dem des ein eine einen einem einer und oder von zu im in am an auf fur mit ist sind war ich mir mich mein meine wir uns unser du dein sie ihr ihre es wie was wer wo wann warum kann konnen mochte will bitte soll nicht auch noch nach bei aus uber als
el la los las un una unos unas y o de del al en por para con es son fue yo mi mis me nosotros tu su sus se que como cuando donde quien cual puedo puede quiero por favor necesito no lo le
le la les un une des et ou de du au aux en dans pour par avec sur est sont je me mon ma mes nous notre tu ton vous votre il elle ils ce cette ces qui que quoi comment quand ou peux peut veux voudrais besoin ne pas plus
il lo la i gli le un uno una e o di del della dei da in nel con su per tra che chi come quando dove io mi mio mia noi tu suo sono e voglio vorrei posso devo non
o a os as um uma uns umas e ou de do da dos das em no na por para com que como quando onde quem eu me meu minha nos tu seu sua quero preciso posso nao
i w we z ze na do od po za o u dla przy sie jest sa byl jak co kto gdzie kiedy czy ja mi moj moja my nasz ty chce prosze moge nie to ten ta te tego
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему для мы нас наш мои моя это как где когда кто хочу нужно можно
і в у не що він на я з як а то все вона так иого але ти до же ви за б по тільки ії мені від мене ще о из для ми нас наш мои це де коли хто хочу потрібно можна
ve bir bu su o ile icin mi ne nasil nerede kim ben bana benim biz bizim sen senin istiyorum lutfen var yok da de
";

/// Whether a folded word carries no weight.
pub(crate) fn is_stop(word: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    SET.contains(word)
}
