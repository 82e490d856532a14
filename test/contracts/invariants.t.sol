// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CaratTest} from "./support/CaratTest.sol";
import {DealHandler} from "./support/DealHandler.sol";

/// @notice What holds after any sequence of calls. The handler checks each step besides: no call moves the diamond's
///         balance or anybody's funds but the payer's own, and a word goes along legal edges only.
contract InvariantsTest is CaratTest {
    DealHandler internal handler;

    function setUp() public override {
        super.setUp();
        handler = new DealHandler(registry, batcher, diamond, token, operator, guardian);
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](10);
        // Payments and creations twice or thrice, so that most runs have some.
        selectors[0] = handler.create.selector;
        selectors[1] = handler.create.selector;
        selectors[2] = handler.create.selector;
        selectors[3] = handler.pay.selector;
        selectors[4] = handler.pay.selector;
        selectors[5] = handler.cancel.selector;
        selectors[6] = handler.intrude.selector;
        selectors[7] = handler.donate.selector;
        selectors[8] = handler.setPaused.selector;
        selectors[9] = handler.wait.selector;
        targetSelector(FuzzSelector({addr: address(handler), selectors: selectors}));
    }

    function invariant_diamond_holds_what_strangers_sent_and_nothing_else() public view {
        (uint256 tokens, uint256 coins) = handler.donations();
        assertEq(token.balanceOf(diamond), tokens);
        assertEq(diamond.balance, coins);
    }

    /// @dev At the end of every run; the handler has checked the same step by step, as differences.
    function afterInvariant() public view {
        payeesHaveExactlyWhatWasPaid();
        oneDealPerIdPaidAtMostOnce();
    }

    function payeesHaveExactlyWhatWasPaid() internal view {
        for (uint256 i; i < 3; ++i) {
            address who = handler.payees(i);
            assertEq(token.balanceOf(who), handler.owed(who, address(token)));
            assertEq(who.balance, handler.owed(who, address(0)));
        }
    }

    function oneDealPerIdPaidAtMostOnce() internal view {
        for (uint256 id = 1; id <= handler.idCount(); ++id) {
            bytes32 held = wordOf(id);
            bytes32 terms = handler.firstTerms(id);
            uint256 status = uint256(held) & 0xff;
            assertLe(status, 3);
            assertEq(handler.payments(id), status == 2 ? 1 : 0);
            if (terms == 0) assertTrue(held == 0 || held == bytes32(uint256(3)));
            else assertEq(uint256(held) >> 8, uint256(terms) >> 8);
        }
    }

    /// @dev Shows that the handler can reach what the invariants speak of; without it they could be true of nothing.
    function test_handler_reaches_every_state() public {
        handler.create(0, 0, false);
        handler.create(0, 1, true);
        handler.pay(0, 0, 0, 0);
        handler.create(1, 1, true);
        handler.pay(1, 1, 1, 0);
        handler.pay(1, 1, 1, 1);
        handler.create(2, 2, false);
        handler.pay(2, 2, 2, 2);
        handler.create(3, 0, false);
        handler.cancel(3, true);
        handler.pay(3, 0, 0, 0);
        handler.cancel(4, false);
        handler.create(4, 0, true);
        handler.intrude(0, 0);
        handler.donate(5);
        handler.setPaused(0);
        handler.create(5, 0, false);
        handler.create(5, 0, true);
        assertEq(handler.done("create"), 4);
        assertEq(handler.done("pay"), 3);
        assertEq(handler.done("cancel"), 2);
        assertEq(uint8(uint256(wordOf(1))), 2);
        assertEq(uint8(uint256(wordOf(4))), 3);
        assertEq(wordOf(5), bytes32(uint256(3)));
        assertEq(wordOf(6), 0);
    }
}
