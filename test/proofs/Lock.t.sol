// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {Intruder} from "./support/Intruder.sol";
import {ProofBase} from "./support/ProofBase.sol";

/// @notice The calls that a payee can make while it is being paid.
contract LockProofs is ProofBase {
    Intruder internal intruder;

    function setUp() public override {
        super.setUp();
        intruder = new Intruder(diamond);
        vm.startPrank(ROOT);
        registry.setRole(Roles.OPERATOR, address(intruder), true);
        registry.setRole(Roles.UPGRADER, address(intruder), true);
        vm.stopPrank();
    }

    /// @notice A payee that is operator and upgrader cannot re-enter while it is paid in native coin: every function
    ///         that it may call and that is not a view reverts.
    /// @dev For any payment in native coin; its payee is a contract that is operator and upgrader, and that calls the
    ///      diamond in the middle of the payment with any function and any arguments (cuts of one part and one selector).
    function check_nothing_gets_in_during_a_payment(Deal memory deal, address caller) public {
        vm.assume(deal.token == address(0) && deal.payee == address(intruder));
        vm.assume(caller.code.length == 0);
        setWord(deal.dealId, withStatus(IDealFacet(diamond).termsHash(deal), LibDeals.OPEN));
        bool ok = pay(deal, caller, deal.amount, 1);
        assert(!intruder.gotIn());
        // A path on which the intruder is not called shows nothing.
        assert(!ok || intruder.called());
    }
}
