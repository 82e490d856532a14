// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {CaratTest} from "./support/CaratTest.sol";
import {FakeDiamond} from "./support/FakeDiamond.sol";
import {HungryDiamond} from "./support/HungryDiamond.sol";

contract DealWordsTest is CaratTest {
    address internal second;

    function setUp() public override {
        super.setUp();
        second = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        vm.startPrank(operator);
        deals.createDeals(someKeys(1, 3));
        IDealFacet(second).createDeals(someKeys(2, 3));
        vm.stopPrank();
    }

    function openWord(uint256 id) internal pure returns (bytes32) {
        return word(keccak256(abi.encode("terms", id)), 1);
    }

    /// @dev Ids 1 to 3 of the first diamond, of `middle`, and of the second diamond.
    function ask(address middle) internal view returns (address[] memory diamonds, uint256[][] memory ids) {
        (diamonds, ids) = (new address[](3), new uint256[][](3));
        (diamonds[0], diamonds[1], diamonds[2]) = (diamond, middle, second);
        for (uint256 i; i < 3; ++i) {
            ids[i] = idsOf(someKeys(1, 3));
        }
    }

    /// @dev Whatever the one in the middle does, the others are answered.
    function middleOf(address middle) internal view returns (bytes32[] memory) {
        (address[] memory diamonds, uint256[][] memory ids) = ask(middle);
        bytes32[][] memory words = batcher.dealWords{gas: 1_000_000}(diamonds, ids);
        assertEq(words.length, 3);
        assertEq(words[0].length, 3);
        assertEq(words[0][0], openWord(1));
        assertEq(words[2].length, 3);
        assertEq(words[2][0], 0);
        assertEq(words[2][2], openWord(3));
        return words[1];
    }

    function answering(bytes memory answer) internal returns (address) {
        return address(new FakeDiamond(answer, false, false));
    }

    function test_diamond_answers_in_the_order_asked() public view {
        uint256[] memory ids = new uint256[](4);
        (ids[0], ids[1], ids[2], ids[3]) = (3, 9, 1, 3);
        bytes32[] memory words = deals.dealWords(ids);
        assertEq(words.length, 4);
        assertEq(words[0], openWord(3));
        assertEq(words[1], 0);
        assertEq(words[2], openWord(1));
        assertEq(words[3], openWord(3));
        assertEq(deals.dealWords(new uint256[](0)).length, 0);
    }

    function test_batcher_answers_for_many_diamonds() public {
        (address[] memory diamonds, uint256[][] memory ids) = ask(second);
        ids[1] = new uint256[](0);
        vm.prank(stranger);
        bytes32[][] memory words = batcher.dealWords(diamonds, ids);
        assertEq(abi.encode(words[0]), abi.encode(deals.dealWords(ids[0])));
        assertEq(words[1].length, 0);
        assertEq(abi.encode(words[2]), abi.encode(IDealFacet(second).dealWords(ids[2])));
        assertEq(batcher.dealWords(new address[](0), new uint256[][](0)).length, 0);
    }

    function testFuzz_batcher_answers_what_the_diamond_does(uint256[] memory ids, uint256 created) public {
        if (ids.length != 0) {
            vm.prank(operator);
            deals.createDeals(one(DealKey(ids[created % ids.length], bytes32(created))));
        }
        (address[] memory diamonds, uint256[][] memory lists) = (new address[](1), new uint256[][](1));
        (diamonds[0], lists[0]) = (diamond, ids);
        assertEq(abi.encode(batcher.dealWords(diamonds, lists)[0]), abi.encode(deals.dealWords(ids)));
    }

    function test_reverts_without_one_list_for_each_diamond() public {
        vm.expectRevert(abi.encodeWithSelector(IBatcher.LengthMismatch.selector, 1, 2));
        batcher.dealWords(new address[](1), new uint256[][](2));
        vm.expectRevert(abi.encodeWithSelector(IBatcher.LengthMismatch.selector, 1, 0));
        batcher.dealWords(new address[](1), new uint256[][](0));
    }

    /// @dev A diamond that is not there yet has no deals, which is known for sure.
    function test_no_code_has_no_deals() public {
        assertEq(abi.encode(middleOf(makeAddr("empty"))), abi.encode(new bytes32[](3)));
    }

    function test_one_that_fails_has_no_answer() public {
        bytes[3] memory reasons = [bytes(""), abi.encodeWithSelector(IDealFacet.Paused.selector), new bytes(50_000)];
        for (uint256 i; i < reasons.length; ++i) {
            assertEq(middleOf(address(new FakeDiamond(reasons[i], true, false))).length, 0);
        }
        // Failing with what would be a right answer is failing all the same.
        bytes memory right = abi.encode(new bytes32[](3));
        assertEq(middleOf(address(new FakeDiamond(right, true, false))).length, 0);
        assertEq(middleOf(address(registry)).length, 0);
    }

    function test_one_that_answers_something_else_has_no_answer() public {
        bytes[10] memory answers = [
            bytes(""),
            hex"01",
            abi.encode(new bytes32[](0)),
            abi.encode(new bytes32[](2)),
            abi.encode(new bytes32[](4)),
            abi.encodePacked(abi.encode(new bytes32[](3)), hex"00"),
            abi.encode(uint256(0x40), uint256(3), uint256(0), uint256(0), uint256(0)),
            abi.encode(uint256(0x20), uint256(2), uint256(0), uint256(0), uint256(0)),
            abi.encode(uint256(0x20), type(uint256).max, uint256(0), uint256(0), uint256(0)),
            new bytes(50_000)
        ];
        for (uint256 i; i < answers.length; ++i) {
            assertEq(middleOf(answering(answers[i])).length, 0);
        }
        assertEq(middleOf(answering(abi.encode(new bytes32[](3)))).length, 3);
    }

    function test_one_that_burns_its_gas_spoils_no_other() public {
        assertEq(middleOf(address(new FakeDiamond("", false, true))).length, 0);
    }

    /// @dev Three words may burn 130,000, however much gas there is.
    function test_one_that_burns_its_gas_burns_no_more_than_its_limit() public {
        (address[] memory diamonds, uint256[][] memory ids) = ask(address(new FakeDiamond("", false, true)));
        uint256 beforehand = gasleft();
        bytes32[][] memory words = batcher.dealWords{gas: 16_000_000}(diamonds, ids);
        assertLt(beforehand - gasleft(), 300_000);
        assertEq(words[1].length, 0);
    }

    /// @dev A call keeps back a 64th of the gas (EIP-150), so a diamond gets less than its 200,000 when a little more is left.
    function test_one_that_got_less_than_its_gas_is_never_unanswered() public {
        address hungry = address(new HungryDiamond(199_000, abi.encode(new bytes32[](10))));
        (address[] memory diamonds, uint256[][] memory ids) = (new address[](1), new uint256[][](1));
        (diamonds[0], ids[0]) = (hungry, idsOf(someKeys(1, 10)));
        uint256 done;
        uint256 short;
        for (uint256 gas = 195_000; gas < 230_000; gas += 500) {
            (bool ok, bytes memory answer) =
                address(batcher).staticcall{gas: gas}(abi.encodeCall(IBatcher.dealWords, (diamonds, ids)));
            if (ok) {
                assertEq(abi.decode(answer, (bytes32[][]))[0].length, 10);
                ++done;
            } else {
                assertEq(answer, abi.encodeWithSelector(IBatcher.InsufficientGas.selector, hungry));
                ++short;
            }
        }
        assertGt(done, 0);
        assertGt(short, 0);
    }

    /// @dev With too little gas a part has no answer, or all of them have none; a wrong word there never is.
    function testFuzz_little_gas_never_makes_a_wrong_word(uint256 gas) public view {
        gas = bound(gas, 25_000, 200_000);
        (address[] memory diamonds, uint256[][] memory ids) = ask(diamond);
        (bool ok, bytes memory answer) =
            address(batcher).staticcall{gas: gas}(abi.encodeCall(IBatcher.dealWords, (diamonds, ids)));
        if (!ok) return;
        bytes32[][] memory words = abi.decode(answer, (bytes32[][]));
        for (uint256 i; i < 3; ++i) {
            assertEq(abi.encode(words[i]), abi.encode(IDealFacet(diamonds[i]).dealWords(ids[i])));
        }
    }

    /// @dev 500 deals are one call of the watcher and of the lane: most may be one merchant's, the others have one each.
    ///      A node gives a call that names no gas 50,000,000 or so.
    function test_a_busy_diamond_among_others_is_answered() public {
        address[] memory diamonds = new address[](100);
        uint256[][] memory ids = new uint256[][](100);
        for (uint256 i; i < 100; ++i) {
            diamonds[i] = registry.createDiamond(NODE, bytes16(uint128(1000 + i)));
            ids[i] = idsOf(someKeys(1, i == 0 ? 401 : 1));
        }
        bytes32[][] memory words = batcher.dealWords{gas: 10_000_000}(diamonds, ids);
        for (uint256 i; i < 100; ++i) {
            assertEq(words[i].length, ids[i].length);
        }
    }
}
