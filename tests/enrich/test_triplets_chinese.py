import time

import pytest

from rove.enrich.triplets.chinese import said_in

TEXT = (
    "涞滩镇是中国著名的古镇，始建于北宋，1999年被列入名单。屋苑设施包括游泳池、网球场、儿童游乐场、缓步径及停车场。"
    "《铁拳男人》（Cinderella Man）由朗·霍华德执导，于2005年上映。他於1949年出任市長，同年加入自由黨。"
    "扬子克拉通，又名扬子陆块、华南陆块，目前是华南板块的一部分。該站位於臺北市 大安區（東側），毗鄰公園。"
    "黑豹队以 24 比 10 击败了 海盗队 ，获得冠军后解散。"
)


@pytest.mark.parametrize(
    ("sentence", "about", "expected"),
    [
        ("武穴酥糖是传统地方特产。", "武穴酥糖", ("武穴酥糖", "是", "传统地方特产")),
        ("秋山幸二（1962年4月6日－）为日本的棒球选手之一。", "秋山幸二", ("秋山幸二", "为", "日本的棒球选手之一")),
        ("节流阀，俗称油门，是一个构造。", "", ("节流阀", "俗称", "油门")),
        ("石山麟于1985年创立昌宁集团。", "石山麟", ("石山麟", "创立", "昌宁集团")),
        ("2005年，霍顿成为国家足球队主教练。", "鲍比·霍顿", ("霍顿", "成为", "国家足球队主教练")),
        ("石山麟1945年9月出生于吉林省东丰县。", "石山麟", ("石山麟", "出生于", "吉林省东丰县")),
        ("学校创立于1954年，于1970年代分为上、下午两所学校。", "某学校", ("学校", "创立于", "1954年")),
        ("魔岩文化股份有限公司于1992年成立。", "", ("魔岩文化股份有限公司", "成立", "1992年")),
        ("野马队以 23–16 击败了匹兹堡钢人队。", "Super_Bowl_50", ("野马队", "击败", "匹兹堡钢人队")),
    ],
)
def test_a_plain_sentence_gives_what_it_says(sentence: str, about: str, expected: tuple[str, str, str]):
    assert expected in [tuple(said) for said in said_in(sentence, about)]


def test_a_passive_sentence_turns_round():
    assert said_in("明珠公司于1998年被长江集团收购。", "") == [("长江集团", "收购", "明珠公司")]
    assert said_in("明珠公司被长江集团收购。", "") == [("长江集团", "收购", "明珠公司")]
    assert said_in("明珠公司由张三和李四于1998年创办。", "") == [
        ("张三", "创办", "明珠公司"),
        ("李四", "创办", "明珠公司"),
    ]


def test_a_passive_sentence_whose_thing_it_does_not_name_gives_nothing():
    assert said_in("该片由朗·霍华德执导。", "铁拳男人") == []


@pytest.mark.parametrize("opening", ["位于", "该站位于", "它位于", "目前位于", "此后，位于"])
def test_the_title_stands_in_for_a_subject_that_is_left_out(opening: str):
    assert said_in(f"{opening}浙江省杭州市。", "余杭站") == [("余杭站", "位于", "浙江省杭州市")]


def test_a_pronoun_for_a_person_needs_the_title_of_a_person():
    assert said_in("他于1951年加入科学院。", "王小明") == [("王小明", "加入", "科学院")]
    assert said_in("他于1951年加入科学院。", "余杭火车站") == []
    assert said_in("他的父亲加入科学院。", "王小明") == []


def test_without_a_title_nothing_is_said_of_no_one():
    assert said_in("位于浙江省杭州市。", "") == []


def test_an_enumeration_gives_one_triplet_for_each_item():
    items = "游泳池、网球场、游乐场、缓步径及停车场"
    said = said_in(f"屋苑设施包括{items}。", "")
    assert [one.object for one in said] == ["游泳池", "网球场", "游乐场", "缓步径", "停车场"]
    assert len(said_in("屋苑设施包括" + "、".join(["球场甲", "球场乙"] * 9) + "。", "")) <= 8


def test_an_enumeration_that_shares_its_noun_stays_whole():
    assert [one.object for one in said_in("新年是中国、日本的传统节日。", "新年")] == ["中国、日本的传统节日"]
    assert [one.object for one in said_in("大学位于中华人民共和国首都。", "大学")] == ["中华人民共和国首都"]


def test_a_later_clause_keeps_the_subject():
    said = said_in("固始站是宁西铁路上的一座车站，位于河南省固始县段集镇，隶属于武汉铁路局。", "固始站")
    assert [(one.subject, one.predicate) for one in said] == [
        ("固始站", "是"),
        ("固始站", "位于"),
        ("固始站", "隶属于"),
    ]


def test_a_later_clause_with_another_subject_does_not():
    assert said_in("明珠公司逐步扩张，父母搬到了上海，担任经理。", "明珠公司") == []


def test_traditional_characters_are_read_and_kept():
    assert said_in("陳大文於1949年擔任市長。", "陳大文") == [("陳大文", "擔任", "市長")]
    assert said_in("該站位於臺北市。", "台北車站") == [("台北車站", "位於", "臺北市")]


@pytest.mark.parametrize(
    "sentence",
    [
        "余杭站不是终点站。",
        "余杭站并非位于杭州。",
        "余杭站没有使用电力。",
        "余杭站是终点站吗？",
        "余杭站是否位于杭州。",
        "如果余杭站位于杭州，乘客会更多。",
        "余杭站可能位于杭州。",
        "据说余杭站位于杭州。",
        "有人认为余杭站是古迹。",
        "余杭站拥有者反对。",
        "但是，",
        "",
    ],
)
def test_what_is_denied_asked_or_doubted_gives_nothing(sentence: str):
    assert said_in(sentence, "余杭站") == []


def test_quoted_words_are_no_verbs():
    assert said_in("《我是歌手》位于榜首。", "") == [("《我是歌手》", "位于", "榜首")]


def test_every_part_stands_in_the_text():
    said = said_in(TEXT, "涞滩镇")
    assert len(said) > 10
    for one in said:
        assert one.subject in TEXT or one.subject == "涞滩镇"
        assert one.predicate in TEXT and one.object in TEXT
        assert one.object == one.object.strip() and one.object


@pytest.mark.parametrize("unit", ["是", "由", "的", "、", "（", "1", "了", "，", "位于", "1998年", "由张三创办", "在"])
@pytest.mark.parametrize("opening", ["", "明珠公司是"])
def test_a_hostile_line_is_read_at_once(unit: str, opening: str):
    start = time.process_time()
    said_in(opening + unit * 20_000, "明珠公司")
    assert time.process_time() - start < 0.2
