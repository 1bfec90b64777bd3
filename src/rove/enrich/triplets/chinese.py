"""Find what a Chinese sentence says of whom, by rules, without a model and without cutting the sentence into words.

A sentence is read clause by clause. The first verb of a clause that stands in a list parts its subject from its
object. A clause is left out where either of them looks like more than a noun phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rove.enrich.triplets.said import MOST_CHARS, Said

MOST_SUBJECT = 20
MOST_ITEMS = 8
MOST_HEAD = 48
"""More characters than these in front of a verb are no subject with a date and a place."""
MOST_NOUN = 24
"""Characters that may follow the last 的 of an object."""

_FOLD = str.maketrans(
    "於屬隸擔創辦發現導執獲榮奪贏擊敗購鄰連設計築為稱簡別學畢業編監製開產劇寫時來後並與從這當據說傳爾間約紀沒無問應該個種條隻類"
    "將讓給對過著還則雖經動總員會會國書場線車鎮縣區島專輯遊戲團（）！？０１２３４５６７８９",
    "于属隶担创办发现导执获荣夺赢击败购邻连设计筑为称简别学毕业编监制开产剧写时来后并与从这当据说传尔间约纪没无问应该个种条只类"
    "将让给对过着还则虽经动总员会会国书场线车镇县区岛专辑游戏团()!?0123456789",
)
"""The rules are written in simplified characters; a sentence is read as if it were."""

_ASIDE = re.compile(
    r"\([^()]{0,120}\)|《[^《》]{1,60}》|「[^「」]{1,60}」|『[^『』]{1,60}』|“[^“”]{1,60}”|〈[^〈〉]{1,60}〉|〔[^〔〕]{1,60}〕"
)
_STOP = re.compile(r"[。!?\n]")
_MARK = re.compile(r"[，；：;:—…]|,(?!\d)")
_DOUBT = re.compile(
    r"[?吗]|如果|假如|假设|假使|倘|若(?![干尔望])|可能|也许|或许|是否|据说|据称|传说|相传|传闻|疑|大概|似乎|认为|声称|自称"
    r"|看似|好像|应该|应为|应是|相信|主张|谣|误|计划|打算|希望|建议|将会|预计|拟|试图|想要|要求|企图|只要|一旦|除非|提名"
)
_DATE = (
    r"(?:约|大约)?(?:公元前?|西元前?|前)?(?:\d{3,4}(?:[-–－~至]\d{2,4})?年(?:代|度)?(?:\d{1,2}月(?:\d{1,2}日)?)?[初末底春夏秋冬]?"
    r"|\d{1,2}月(?:\d{1,2}日)?[初末底]?|\d{1,2}世纪(?:\d0年代)?[初末]?|\d{1,2}日)"
)
_DATED = re.compile(rf"(?:{_DATE}|[\u4e00-\u9fff]{{2,9}}(?:年间|年|时期|时代|年代|朝|代))\Z")
_LEAD = re.compile(
    rf"(?:[\s\0]|(?:在|于|自|从|直到|直至|到|至)?{_DATE}(?:时|间|期间|起|开始|以来|后|之后)?"
    r"|但是|不过|然而|此后|此外|另外|其后|之后|以后|随后|后来|目前|现时|现在|如今|同时|同年|当时|因此|所以|于是|其中|最后|最终"
    r"|并且|而且|而后|以及|并于|后于|曾经|先后|早年|晚年|其实|事实上|例如|比如|虽然|尽管|由此|翌年|次年|隔年|今天|今日|通常|一般)*+"
)
_TAIL = re.compile(
    rf"(?:[\s\0也都还即则亦现曾后并又且均皆已仍便就才再共而原]|(?:在|于|自|从)?{_DATE}(?:时|间|起|后)?|先后|主要|通常|一般|目前|现时|后来"
    r"|随后|正式|最终|最后|成功|共同|一直|仍然|当时|同时|再次|首次|免费|率队|曾经|已经|分别|大多|多数?|最初|最早|其后|全部|本身|实际上"
    r"|之后|如今|现在|今天|一度|开始|陆续|同样|其实|大学|全都|一共|早期|直接|间接|可以|常|常常|经常|广泛|大部分|大量|不久|成年后|顺利|全面|原来|实际|当年|估计|大约|既|约|长期|逐渐|迅速)+\Z"
)
_BY_WAY = re.compile(r"(?<=..)(?:(?<![存现内实外潜正所])在|(?<![位属等关由对至])于|凭借?|(?<![可所难])以(?![色北南东西上下内外前后来])|随|从)")
_IS = r"(?<![于还但可只就而或不要总正若凡乃倒算像硬老说也国])是(?![否因在指从为非以说])"
_AS = r"(?<![成作因称名认以分视改译选化变定升列任行人设判转评有更写立当封作解印尊视])为(?![了何止此其什免例主首由])"
_NAMES = "简称|又称|又名|别名|别称|原名|本名|俗称|亦称|也称|全称|旧称|旧名|改名为|更名为|改称|学名"
_STATES = "位于|坐落于|地处|毗邻|邻近|属于|隶属于|隶属|包括|包含|分布于|流经|连接|下辖|管辖|拥有|使用|采用|源自|起源于|改编自|产于"
_LIFE = "出生于|出生在|诞生于|毕业于|就读于|始建于|兴建于|创立于|创建于|创办于|成立于|建成于|建于|生于|逝世于|病逝于|卒于|效力于"
_DEEDS = (
    "出任|担任|就任|接任|曾任|现任|历任|创办|创立|创建|发明|发现|导演|主演|执导|编导|监制|撰写|著有|获得|荣获|夺得|赢得|加入|加盟"
    "|击败|收购|设计|建造|取代|饰演|出版|发行|发表|推出|开发|制作|生产|成立|成为|主办|研制"
)
_VERB = re.compile(f"(?P<name>{_NAMES})|(?P<life>{_LIFE})|(?P<state>{_STATES})|(?P<deed>{_DEEDS})|(?P<is>{_IS}|{_AS})")
_HAPPENED = re.compile(
    rf"(?P<head>[^\d]{{0,24}}?)(?:于|在)?(?P<date>{_DATE})(?:正式|首次)?"
    r"(?P<verb>成立|创立|创办|建成|落成|通车|开业|出生|逝世|去世|病逝|启用|竣工|开通|诞生|创刊|发行|上市|毕业|退役|退休|解散|关闭|开播|首播|上映|出版|通航"
    r"|投入使用|投入运营|动工|结婚|停刊|停产|废止|倒闭)\Z"
)
_BY = re.compile(r"(?P<head>.{0,24}?)(?:是由|(?<!自)由(?!于)|被)(?P<agent>[^由被]{2,30})\Z", re.DOTALL)
_BY_IN = re.compile(
    rf"[^由的]{{0,8}}(?<!自)由(?!于)(?P<agent>[^由的]{{2,24}}?)(?:(?:于|在)?{_DATE})?(?:所|负责)?"
    r"(?P<verb>创办|创立|创建|发明|发现|导演|主演|执导|编导|监制|撰写|收购|设计|建造|出版|发行|推出|开发|制作|生产|研制)的"
)
_NAMED = re.compile(
    r"\((?:[^()]{0,30}[，,；;])?\s*(?P<verb>简称|又称|又名|别名|别称|原名|本名|俗称|亦称|也称|全称|旧称|旧名|学名|英文名称|英文名|英文|英语|日语|法语|德语)"
    r"[:：为]?\s*[「“『]?(?P<object>[^\s:：，、；;()「」“”『』](?:[^，、；;,()「」“”『』]{0,60}[^\s，、；;,()「」“”『』])?)"
)
_PASSIVE = frozenset("创办 创立 创建 发明 发现 导演 主演 执导 编导 监制 撰写 收购 击败 取代 设计 建造 出版 发行 推出 开发 制作 生产 研制"
                     " 管辖 成立 担任 出任 饰演 主办".split())
_DENIED = re.compile(r"不|没|未|并非|无法|无|拒|禁|难以|避免|非\Z|尚|想|欲|要\Z|会\Z|能\Z|才能|须|需|失|险|差点|几乎|将\Z|否")
_UNFIT = re.compile(
    r"(?<![现存内潜外所])在|(?<!其)[他她它牠]|其(?!他)|[这那此您你我吗呢吧了很但]|(?<![自理])由|从|(?<!方)向|把|被|(?<![大名上中少主])将(?!军|领|帅)"
    r"|(?<![大天特公])使(?![用者徒命馆团])|让|(?<!供)给|(?<![基原])因(?!素|子)|而|且|(?<![合兼])并|(?<![于])是|[过](?!程|滤|海)|(?<![首京成])都(?!市|城|会|督)"
    r"|(?<![可所])以(?![上下南北东西内外色来])|(?<!成)就|(?<![人天])才|不(?![同列丹锈])|没|(?<!未)未(?!来)|也(?!门)|或|(?<![研场派处])所(?!有)"
    r"|(?<![对关由基])于|曾(?!祖|孙|国|巩|参)|成为|称为|作为|具有|受到|得到|协助|签约|办学|出场|辞去|投入(?!使)|逃避|劝说|位居|来自|身为|根据|可以|需要|能够|属于|[只](?![人眼])|(?<![国公私共所])有(?![限机轨线色])|开始|进行|导致|造成|帮助|参加|表示|宣布|提供|前往|代表|负责|[时后]\Z|期间|之前|以前|[的得之于为与和及]\Z"
)
_CLAUSEY = re.compile(r"[而但了]|因(?!素|此)|并(?!列)|使得|时[^代期间装尚]|后[^卫裔代期来世备方]|成为|(?<![于])是|从而|以便|进而|开始|导致|造成")
_NOT_OBJECT = re.compile(r"[者师号人用有图量率权商的中时后前到起于上下出器性在员类与和、及]|在内|为(?!期)|成为|分为|指(?!挥|南)|要(?!塞|素)|只|如何|怎|什么|多少|何|[家费方](?!\w{4})|自己|之[^国]|过程|问题|工作|比赛|[\W_]*\Z")
_AND = re.compile(r"、|以及|及其|(?<![普涉波以危企埃])及(?![时格第])"
                  r"|(?<![共大昭明饱柔温缓总联祥呼仁颐平中亲义永])和(?![平国谐服歌尚声解田风约好睦泉气浩县])|(?<![参赠给])与(?![会])")
_COUNTED = re.compile(r"[两二三四五六七八九十\d]+[个大座条]?\w{1,3}\Z")
_PART = re.compile(r"意思|范围|年代|起点|终点|主唱|面积|母公司|总部|原因|目的|目标|内容|特点|结果|成员|作者|球队|品牌|全长|人口|地点|时间|原址|主角|方法|用途|产品|首都|北端|南端|东端|西端|工厂|公司|父亲|母亲|妻子|长子|次子|儿子|女儿|其中|部分|一部分|另一|后者|前者|两者|二者|人们|多数人|许多人")
"""What belongs to something that the clause does not name."""
_NO_HEAD = re.compile(r"[年月日时号里中内上下前后里得]\Z|\d+.{0,4}(?:赛季|年|月|日)|[每当另如像与和及指至终]|有人|许多|大家|人们|这|一般来说")
_KIND = re.compile(r"[一第]|\d|.*(?:之一|的[^的]{1,14})\Z|\w{2,6}\Z", re.DOTALL)
_AFTER_NAME = "的之父母妻子女儿弟兄姐妹夫们和与及、"
_PRONOUN = re.compile(r"(?:他|她)\Z")
_THIS = re.compile(r"(?:它|其)\Z|(?:该|本|此)(?P<kind>.{1,4})\Z")
_KINDS = frozenset("片 剧 书 曲 歌曲 专辑 公司 校 种 物种 鱼 游戏 作 作品 站 车站 线 铁路 机场 岛 镇 县 市 区 村 属 科 目 病 疾病 节目 电影 球队 组织 集团 杂志 学校 大学 寺 桥".split())
_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹"
    "熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鐘陸"
)


def said_in(sentence: str, about: str) -> list[Said]:
    """Return what one sentence says, in order, each once. `about`: the document's title, or "".

    >>> said_in("余杭站是沪杭客运专线上的一个车站，位于浙江省杭州市。", "余杭站")[1]
    Said(subject='余杭站', predicate='位于', object='浙江省杭州市')
    >>> said_in("明珠公司由张三和李四创办。", "")
    [Said(subject='张三', predicate='创办', object='明珠公司'), Said(subject='李四', predicate='创办', object='明珠公司')]
    """
    folded = sentence.translate(_FOLD)
    reader = _Reader(sentence, folded, _ASIDE.sub(_masked, folded), about)
    found: list[Said] = []
    for start, end in _parts(reader.text, _STOP, 0, len(sentence)):
        if not _DOUBT.search(reader.text, start, end + 1):
            reader.topic = about
            reader.begin = start
            for clause in _parts(reader.text, _MARK, start, end):
                found += reader.clause(*clause)
    return list(dict.fromkeys(found))


def _masked(aside: re.Match[str]) -> str:
    """Hide what stands in brackets or quotation marks, so that no rule reads it; the length stays."""
    return ("\0" if aside[0][0] == "(" else "\1") * len(aside[0])


def _parts(text: str, mark: re.Pattern[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in mark.finditer(text, start, end):
        if start < stop.start():
            yield start, stop.start()
        start = stop.end()
    if start < end:
        yield start, end


@dataclass(slots=True)
class _Reader:
    """A sentence as it is read: `text` is folded and masked, `topic` is what a clause without a subject speaks of."""

    sentence: str
    folded: str
    text: str
    about: str
    topic: str = ""
    begin: int = 0

    def clause(self, start: int, end: int) -> list[Said]:
        """Return what a clause says, and set the topic for the next one."""
        lead = _LEAD.match(self.text, start, end)
        start = lead.end() if lead else start
        found = self._named(start, end)
        if happened := _HAPPENED.match(self.text[start:end]) if end - start < MOST_HEAD else None:
            return found + self._happened(start, happened)
        verb = _VERB.search(self.text, start, min(end, start + 2 * MOST_HEAD))
        if verb is None or verb.start() - start > MOST_HEAD:
            self._pass(start, end)
            return found
        head = self.text[start : verb.start()]
        if _DENIED.search(head):
            self._pass(start, end)
            return found
        by = _BY.match(head) if verb[0] in _PASSIVE else None
        if by:
            return found + self._passive(start, by, verb, end)
        subject = self._subject(start, verb.start(), plain=verb.lastgroup != "deed")
        inherited = verb.start() == start or not _shorn(head)
        self.topic = subject
        if subject and not (inherited and verb[0] in ("包括", "包含", "连接")):
            objects = self._objects(verb, end)
            found += [Said(subject, self._cut(*verb.span()), thing) for thing in objects if thing != subject]
            if objects and verb.lastgroup == "is" and (inner := _BY_IN.match(self.text, verb.start(), end)):
                found += self._agents(inner, 0, inner.span("verb"), subject)
        return found

    def _pass(self, start: int, end: int) -> None:
        """Set the topic after a clause that says nothing by these rules."""
        head = self.text[start:end]
        if not head or head[0] in "在于自从随经根当为除" or head[-1] in "后时":
            return
        self.topic = self.about if self._is_about(start, end) else ""

    def _is_about(self, start: int, end: int) -> bool:
        """Say whether a clause begins with the title, a part of it, or a pronoun for it."""
        core = _core(self.about)
        for name in (core, *core.split("·")):
            if len(name) > 1 and self.sentence.startswith(name, start, end):
                return self.text[start + len(name) : start + len(name) + 1] not in _AFTER_NAME or start + len(name) == end
        alone = self.text[start : start + 1]
        return alone in "他她" and _is_person(self.about) and self.text[start + 1 : start + 2] not in _AFTER_NAME + "曾祖"

    def _cut(self, start: int, end: int) -> str:
        return self.sentence[start:end]

    def _named(self, start: int, end: int) -> list[Said]:
        """What the brackets after a name add to it: 余杭火车站（简称余杭站）."""
        at = self.text.find("\0", start, min(end, start + MOST_SUBJECT + 1))
        named = _NAMED.match(self.folded, at) if at > start else None
        subject = self._subject(start, at, plain=False) if named else ""
        return [Said(subject, self._cut(*named.span("verb")), self._cut(*named.span("object")))] if named and subject else []

    def _happened(self, start: int, happened: re.Match[str]) -> list[Said]:
        """A date in front of a verb that needs no object: 该站于2009年12月28日启用."""
        if _DENIED.search(happened["head"]):
            return []
        self.topic = self._subject(start, start + happened.end("head"), plain=False)
        date, verb = (self._cut(*(start + at for at in happened.span(name))) for name in ("date", "verb"))
        return [Said(self.topic, verb, date)] if self.topic else []

    def _passive(self, start: int, by: re.Match[str], verb: re.Match[str], end: int) -> list[Said]:
        """A passive clause turned round: who does it is the subject."""
        thing = self._subject(start, start + by.end("head"), plain=True)
        self.topic = thing
        rest = self.text[verb.end() : end].lstrip("了\0 ").rstrip("\0 后")
        if not thing or (rest and not _DATED.match(rest.removeprefix("于"))):
            return []
        return self._agents(by, start, verb.span(), thing)

    def _agents(self, by: re.Match[str], start: int, verb: tuple[int, int], thing: str) -> list[Said]:
        if thing not in self.sentence:
            return []
        begin, end = (start + at for at in by.span("agent"))
        end = begin + len(_shorn(self.text[begin:end]))
        agents = [self._cut(*span) for span in self._items(begin, end)]
        return [Said(agent, self._cut(*verb), thing) for agent in agents if agent != thing and len(agent) <= MOST_SUBJECT]

    def _subject(self, start: int, end: int, *, plain: bool) -> str:
        """Return what a clause speaks about; "" if that is not sure. `plain`: any noun phrase will do."""
        head = _shorn(self.text[start:end])
        if not head:
            return self.topic
        if _PRONOUN.match(head):
            return self.topic if self.topic != self.about or _is_person(self.about) else ""
        if this := _THIS.match(head):
            kind = this["kind"]
            return self.about if not kind or kind in _KINDS or kind[-1] in self.about.translate(_FOLD) else ""
        name = self._cut(start, start + len(head))
        if len(name) > 1 and name in _core(self.about):
            return name
        most = MOST_CHARS if head[0] == "\1" else MOST_SUBJECT if plain else MOST_SUBJECT // 2
        fits = 1 < len(head) <= most and not (_PART.fullmatch(head) or _NO_HEAD.match(head) or _NO_HEAD.search(head[-1:]))
        if not fits or _UNFIT.search(head) or _VERB.search(head):
            return ""
        later = start > self.begin and len(head) < 5 and head.isalpha() and not head.isascii() and "·" not in head
        return "" if later else name

    def _objects(self, verb: re.Match[str], end: int) -> list[str]:
        """Return the objects of a verb, the items of an enumeration apart; none if one of them is a fragment."""
        start = verb.end()
        while start < end and self.text[start] in "了过 \0":
            start += 1
        if verb[0] in ("包括", "包含") and self.text.startswith("有", start):
            start += 1
        rest = self.text[start:end].rstrip(" \0")
        if verb.lastgroup == "deed" and rest.endswith("后"):
            rest = rest.removesuffix("后").removesuffix("之")
        rest, _, more = rest.partition("等") if "、" in rest and "等" in rest[-9:] else (rest, "", "")
        if not 0 < len(rest) <= 2 * MOST_CHARS or _NOT_OBJECT.match(rest) or "的" in more:
            return []
        if verb.lastgroup == "life":
            return [self._cut(start, start + len(rest))] if _DATED.match(rest) or "的" not in rest and _is_thing(rest) else []
        if verb[0] == "为" and not _KIND.match(rest):
            return []
        if verb.lastgroup != "is" and (_CLAUSEY.search(rest) or _VERB.search(rest.rpartition("的")[2])):
            return []
        return [self._cut(*span) for span in self._items(start, start + len(rest))]

    def _items(self, start: int, end: int) -> list[tuple[int, int]]:
        """Part an enumeration, unless what follows it belongs to all of its items; empty if an item is no thing."""
        rest = self.text[start:end]
        marks = list(_AND.finditer(rest))
        whole = not marks or "的" in rest[marks[0].start() :] or bool(_COUNTED.search(rest))
        spans = [(0, len(rest))] if whole else list(_parts(rest, _AND, 0, len(rest)))
        if any(not _is_thing(rest[a:b]) for a, b in spans):
            return []
        return [_trimmed(rest, a, b, start) for a, b in spans[:MOST_ITEMS]]


def _trimmed(rest: str, begin: int, end: int, start: int) -> tuple[int, int]:
    """Return where an item stands in the sentence, without the space around it."""
    item = rest[begin:end]
    return start + end - len(item.lstrip()), start + begin + len(item.rstrip(" \0"))


def _shorn(head: str) -> str:
    """Cut dates, places and adverbs off the end of what stands in front of a verb."""
    for _ in range(3):
        way = _BY_WAY.search(head)
        if way and len(head) - way.start() > MOST_SUBJECT:
            break
        tail = _TAIL.search(head[: way.start()] if way else head)
        cut = tail.start() if tail else way.start() if way else len(head)
        if cut == len(head):
            break
        head = head[:cut]
    return head


def _is_thing(item: str) -> bool:
    """Say whether an object is a noun phrase and whole."""
    noun = item.rpartition("的")[2]
    return 1 < len(item) <= MOST_CHARS and 0 < len(noun.strip("\1\0")) <= MOST_NOUN and not _UNFIT.search(noun) or set(item) == {"\1"}


def _is_person(title: str) -> bool:
    return "·" in title or (1 < len(title) < 4 and title[0] in _SURNAMES)


def _core(title: str) -> str:
    """Return a title without the brackets that tell it from another."""
    return title.partition(" (")[0].partition("（")[0].replace("_", " ")
